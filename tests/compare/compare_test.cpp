// Scripts through `ip -batch` and through netbatch: the end states must be equal.
// NETBATCH=path tests another binary, NETBATCH_COMPARE_SEEDS=7 or 1-1000 generates other scripts, and
// NETBATCH_COMPARE_KINDS="macvlan vxlan" restricts what they may contain beside veth and bridge.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <regex>
#include <sstream>

#include "tests/compare/generator.hpp"
#include "tests/compare/suite.hpp"
#include "tests/compare/trial.hpp"

using namespace netbatch::compare;

namespace {

constexpr size_t kTrialsAtOnce = 8;
constexpr int kShrinkBudget = 150;
constexpr int kShrunkScripts = 3;  // the others are shown whole

bool sandboxes_work() {
  static const std::string problem = sandbox_problem();
  if (!problem.empty()) std::printf("skipped: no sandbox: %s\n", problem.c_str());
  return problem.empty();
}

struct Named {
  std::string name;
  Trial trial;
};

// Some scripts are in progress at a time.
template <typename Check>
void run_all(const std::vector<Tool>& ways, const std::vector<Script>& scripts, Check check) {
  std::deque<Named> running;
  for (const Script& script : scripts) {
    running.push_back({script.name, Trial(ways, script.text)});
    if (running.size() < kTrialsAtOnce) continue;
    check(running.front());
    running.pop_front();
  }
  for (Named& rest : running) check(rest);
}

std::vector<Script> usable_scripts(const std::string& directory) {
  std::vector<Script> usable;
  for (Script& script : read_scripts(NETBATCH_SOURCE_DIR "/tests/compare/" + directory)) {
    const std::vector<std::string> missing = missing_needs(script.text);
    if (missing.empty()) {
      usable.push_back(std::move(script));
      continue;
    }
    std::printf("skipped: %s: this kernel has no", script.name.c_str());
    for (const std::string& kind : missing) std::printf(" %s", kind.c_str());
    std::printf("\n");
  }
  return usable;
}

std::pair<uint64_t, uint64_t> seed_range() {
  const char* text = std::getenv("NETBATCH_COMPARE_SEEDS");
  unsigned long long first = 1;
  unsigned long long last = 200;
  if (text != nullptr && std::sscanf(text, "%llu-%llu", &first, &last) < 2) last = first;
  return {first, last};
}

std::vector<std::string> kinds_to_use() {
  const char* chosen = std::getenv("NETBATCH_COMPARE_KINDS");
  std::istringstream words(chosen != nullptr ? chosen : "macvlan vxlan vlan dummy neigh");
  std::vector<std::string> kinds;
  for (std::string kind; words >> kind;) {
    if (kind == "neigh" || kernel_has(kind)) kinds.push_back(kind);
  }
  return kinds;
}

// Without the statement that ip says has failed; empty when it does not say.
std::string without_failed_line(const std::string& script, const std::string& errors) {
  std::smatch match;
  if (!std::regex_search(errors, match, std::regex("Command failed .*:([0-9]+)"))) return {};
  size_t begin = 0;
  for (int line = std::stoi(match[1].str()); line > 1; --line) begin = script.find('\n', begin) + 1;
  std::string shorter = script;
  return shorter.erase(begin, script.find('\n', begin) + 1 - begin);
}

}  // namespace

TEST_CASE("compare: each script ends as with ip -batch") {
  if (!sandboxes_work()) return;
  const std::vector<Tool> ways = tools();
  run_all(ways, usable_scripts("scripts"), [&](Named& named) {
    const Verdict verdict = named.trial.finish();
    CHECK_MESSAGE(verdict.reference_status == 0, named.name, ": ip -batch fails: ", verdict.reference_errors);
    CHECK_MESSAGE(verdict.report.empty(), named.name, ":\n", numbered(named.trial.script()), verdict.report);
  });
}

TEST_CASE("compare: a script that fails stops as with ip -batch") {
  if (!sandboxes_work()) return;
  run_all(tools({"--on-error", "stop"}), usable_scripts("failing"), [&](Named& named) {
    const Verdict verdict = named.trial.finish();
    CHECK_MESSAGE(verdict.reference_status != 0, named.name, ": ip -batch does not fail");
    CHECK_MESSAGE(verdict.report.empty(), named.name, ":\n", numbered(named.trial.script()), verdict.report);
  });
}

TEST_CASE("compare: generated scripts end as with ip -batch") {
  if (!sandboxes_work()) return;
  const std::vector<std::string> kinds = kinds_to_use();
  const auto [first, last] = seed_range();
  std::vector<Script> scripts;
  for (uint64_t seed = first; seed <= last; ++seed) scripts.push_back({std::to_string(seed), generate(seed, kinds)});
  const std::vector<Tool> ways = tools();
  int to_shrink = kShrunkScripts;
  int given_up = 0;
  run_all(ways, scripts, [&](Named& named) {
    std::string script = named.trial.script();
    Verdict verdict = named.trial.finish();
    while (verdict.reference_status != 0) {
      script = without_failed_line(script, verdict.reference_errors);
      if (script.empty()) {
        ++given_up;
        return;
      }
      verdict = Trial(ways, script).finish();
    }
    if (!verdict.report.empty() && to_shrink-- > 0) {
      FAIL_CHECK("seed ", named.name, ":\n", verdict.report, "shrunk:\n", explain(ways, script, kShrinkBudget));
    } else {
      CHECK_MESSAGE(verdict.report.empty(), "seed ", named.name, ":\n", numbered(script), verdict.report);
    }
  });
  CHECK_MESSAGE(given_up * 20 <= static_cast<int>(scripts.size()), "the generator makes too many scripts that fail");
}
