// The present state as a script that `run` accepts.
#pragma once

#include <optional>
#include <string>

namespace netbatch {

struct SaveOptions {
  std::string netns;  // empty: the one that netbatch runs in
  bool all = false;   // that and every one in /run/netns
};

// Nothing, with `error` set, when a namespace cannot be read.
std::optional<std::string> save(const SaveOptions& options, std::string& error);

// Prints it; returns the exit status.
int save_script(const SaveOptions& options);

}  // namespace netbatch
