#include "tests/compare/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace netbatch::compare {

namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

Trial::Trial(const std::vector<Tool>& tools, std::string script) : script_(std::move(script)) {
  for (const Tool& tool : tools) {
    names_.push_back(tool.name);
    runs_.emplace_back(tool, script_);
  }
}

Verdict Trial::finish() {
  const Outcome reference = runs_[0].finish();
  Verdict verdict{reference.status, reference.errors, normalise(reference.namespaces, script_), {}};
  for (size_t way = 1; way < runs_.size(); ++way) {
    const Outcome outcome = runs_[way].finish();
    const bool same_success = (outcome.status == 0) == (reference.status == 0);
    // A script that was not run differs in all of its end state.
    const std::string report =
        same_success ? difference(verdict.reference, normalise(outcome.namespaces, script_))
                     : fmt::format("  exit status {} where {} has {}\n", outcome.status, names_[0], reference.status);
    if (report.empty()) continue;
    verdict.report += fmt::format("{} (+) differs from {} (-):\n{}", names_[way], names_[0], report);
    if (!outcome.errors.empty()) verdict.report += fmt::format("  it says: {}\n", outcome.errors);
  }
  return verdict;
}

std::string shrink(const std::string& script, const std::function<bool(const std::string&)>& still_fails, int budget) {
  std::vector<std::string> lines = split_lines(script);
  for (size_t chunk = std::max<size_t>(lines.size() / 2, 1); chunk > 0; chunk /= 2) {
    // From the end: what comes last depends on what comes first.
    for (size_t end = lines.size(); end > 0 && budget > 0;) {
      const size_t begin = end - std::min(end, chunk);
      std::vector<std::string> rest = lines;
      rest.erase(rest.begin() + static_cast<long>(begin), rest.begin() + static_cast<long>(end));
      --budget;
      if (still_fails(join_lines(rest))) lines = std::move(rest);
      end = begin;
    }
  }
  return join_lines(lines);
}

std::string numbered(const std::string& script) {
  std::string text;
  int number = 0;
  for (const std::string& line : split_lines(script)) text += fmt::format("{:4} | {}\n", ++number, line);
  return text;
}

std::string explain(const std::vector<Tool>& tools, const std::string& script, int budget) {
  // A script that fails must not be shrunk to one that succeeds and ends differently: that may be another defect.
  constexpr auto fails = [](const Verdict& verdict) {
    return verdict.report.find("  exit status ") != std::string::npos;
  };
  const bool failed = fails(Trial(tools, script).finish());
  const auto differs = [&](const std::string& part) {
    const Verdict verdict = Trial(tools, part).finish();
    return verdict.reference_status == 0 && !verdict.report.empty() && fails(verdict) == failed;
  };
  const std::string minimal = shrink(script, differs, budget);
  const std::string report = Trial(tools, minimal).finish().report;
  return numbered(minimal) + (report.empty() ? "this time it did not differ: a matter of timing\n" : report);
}

}  // namespace netbatch::compare
