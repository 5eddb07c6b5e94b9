#pragma once

#include <malloc.h>

namespace netbatch {

// A script is worked through piece by piece, and each piece needs the memory that the last one has freed: without this
// the allocator gives it back to the system in between, and getting it again costs a quarter of the time.
inline void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace netbatch
