// Running a script through a tool in a sandbox of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/compare/process.hpp"

namespace netbatch::compare {

// A way to run a script: the word "{}" of the command is replaced by the script's path.
struct Tool {
  std::string name;
  std::vector<std::string> command;
};

struct Outcome {
  int status = 0;             // the tool's exit status, as run_process() gives it
  std::string errors;         // what it wrote to standard error
  nlohmann::json namespaces;  // the end state: dump_namespaces()
  nlohmann::json before;      // the state that the run found; null unless something was prepared
};

// One run in progress. The tool runs in a child process with a new network and mount namespace (and a new user
// namespace unless this is root), with its own empty /run/netns; all of it vanishes with the process. Several runs may
// be in progress at once.
class Run {
 public:
  // `prepare` is run through `ip -force -batch` first: what exists before the run.
  Run(const Tool& tool, std::string_view script, std::string_view prepare = {});
  ~Run();
  Run(Run&& other) noexcept : output_(std::move(other.output_)), child_(std::exchange(other.child_, -1)) {}
  Run& operator=(Run&&) = delete;

  // Waits for the end. To be called once. Throws std::runtime_error when the sandbox could not be made or read.
  Outcome finish();

 private:
  Fd output_;
  pid_t child_;
};

// Why sandboxes cannot be made here; empty when they can.
std::string sandbox_problem();

}  // namespace netbatch::compare
