// One run of one subject, in a sandbox of its own.
#pragma once

#include <cstdint>
#include <string>

#include "row.hpp"

namespace netbatch::bench {

struct Sample {
  double seconds = 0;       // of the tool from fork to exit, or of the floor; nothing before or after
  uint64_t peak_bytes = 0;  // the tool's largest resident set
  std::string failure;      // empty: it worked and its result has been verified
};

// Forks: the child enters a sandbox, sets up, runs, verifies and ends. Returns when the kernel has removed all that the
// sandbox held. The calling process must be in a sandbox itself and have one thread.
Sample run_isolated(const Row& row, Subject subject, const Case& of);

}  // namespace netbatch::bench
