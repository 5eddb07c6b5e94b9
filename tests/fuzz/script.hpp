// A script of any bytes for the fuzz targets, in memory.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>

#include "interpreter/scripts.hpp"

namespace netbatch::fuzz {

// Few enough for a run to be short, and enough for nested loops.
constexpr uint64_t kMostSteps = 2000;

inline std::string script;

// Every file with a name of one letter holds the script, too: what it includes can fan out.
inline int read_script(const std::string& path, std::string& text, FileId& id) {
  if (path.size() != 1) return ENOENT;
  text = script;
  id = {0, static_cast<uint8_t>(path[0])};
  return 0;
}

}  // namespace netbatch::fuzz
