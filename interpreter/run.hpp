// The commands of the command line: read → parse → plan → execute → report → exit status.
#pragma once

#include <string>
#include <vector>

#include "interpreter/executor.hpp"
#include "interpreter/expand.hpp"

namespace netbatch {

enum ExitStatus : int { kDone = 0, kFailed = 1, kWrong = 2 };

struct RunOptions {
  std::string file;
  std::vector<Definition> definitions;
  ExecutorOptions executor;
  bool plan = true;
  bool sandbox = false;
  std::vector<std::string> command;  // a program and its arguments, run in the sandbox after the script
  bool stats = false;
  bool json = false;    // the plan, or how the operations ended, as JSON
  std::string journal;  // a file to write what undoes the run to; empty: none
  bool sync = false;    // the journal reaches the disk before the kernel is asked
};

int run_script(const RunOptions& options);
// Takes back what a run wrote to its journal.
int undo_journal(const std::string& path);
int check_script(const RunOptions& options);
int plan_script(const RunOptions& options);

}  // namespace netbatch
