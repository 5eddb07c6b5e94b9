// One script, run in several ways and compared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/compare/runner.hpp"
#include "tests/compare/state.hpp"

namespace netbatch::compare {

struct Verdict {
  int reference_status = 0;  // the first tool's
  std::string reference_errors;
  State reference;     // the first tool's end state
  std::string report;  // how the others differ from it, readable; empty when they do not
};

// The runs of one script through all tools at once. The first tool is the reference.
class Trial {
 public:
  Trial(const std::vector<Tool>& tools, std::string script);
  const std::string& script() const { return script_; }
  Verdict finish();

 private:
  std::vector<std::string> names_;
  std::string script_;
  std::vector<Run> runs_;
};

// Drops lines of the script for as long as `still_fails` says true of the rest; returns what remains. At most `budget`
// rests are tried.
std::string shrink(const std::string& script, const std::function<bool(const std::string&)>& still_fails, int budget);

// The smallest part of `script` on which the reference succeeds and another tool differs, with the difference.
std::string explain(const std::vector<Tool>& tools, const std::string& script, int budget);

std::string numbered(const std::string& script);

}  // namespace netbatch::compare
