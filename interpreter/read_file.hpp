// Files of scripts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace netbatch {

using FileId = std::pair<uint64_t, uint64_t>;  // device and inode

// The whole of a file, or of standard input for the path "-". 0 or errno; EFBIG beyond 4 GiB.
int read_file(const std::string& path, std::string& text, FileId& id);

}  // namespace netbatch
