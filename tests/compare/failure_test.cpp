// Statements that fail: `stop` must end as `ip -batch`, `continue` as one request after the other does.
// NETBATCH_FAULTS=all takes all cases instead of some; NETBATCH_FAULT_SEED=7 takes others.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>

#include "tests/compare/fault.hpp"
#include "tests/compare/fault_case.hpp"
#include "tests/compare/state.hpp"
#include "tests/compare/suite.hpp"

using namespace netbatch::compare;

namespace {

constexpr int kRefusedUnread = 2;  // the exit status for a script that is seen to be wrong before anything is sent

bool sandboxes_work() {
  static const std::string problem = sandbox_problem();
  if (!problem.empty()) std::printf("skipped: no sandbox: %s\n", problem.c_str());
  return problem.empty();
}

std::string text(const std::vector<int>& lines) { return fmt::format("{}", fmt::join(lines, " ")); }

// The first is the reference.
std::string compare_outcomes(const FaultCase& fault_case, const std::vector<Outcome>& outcomes) {
  const Outcome& reference = outcomes[0];
  const Outcome& other = outcomes[1];
  std::vector<int> expected = failed_lines(reference.errors);
  std::vector<int> found = failed_lines(other.errors);
  const std::string text_of_both = fault_case.prepare + fault_case.script;
  const State before = normalise(other.before.is_null() ? nlohmann::json::object() : other.before, text_of_both);
  const auto state_of = [&](const nlohmann::json& namespaces) {
    return without_lost_addresses(normalise(namespaces, text_of_both), before);
  };
  std::string report;
  if (other.status == kRefusedUnread) {
    const std::string changed = difference(before, normalise(other.namespaces, text_of_both));
    if (!other.before.is_null() && !changed.empty())
      report += "  a script that was refused has changed this:\n" + changed;
    expected.resize(std::min<size_t>(expected.size(), 1));
    found.resize(std::min<size_t>(found.size(), 1));
  } else {
    report += difference(state_of(reference.namespaces), state_of(other.namespaces));
  }
  if ((reference.status == 0) != (other.status == 0))
    report += fmt::format("  exit status {}, not {}\n", other.status, reference.status);
  if (expected != found && !expected.empty())
    report += fmt::format("  failed lines {}, not {}\n", text(found), text(expected));
  if (!report.empty()) report += fmt::format("  it says: {}\n  the reference: {}\n", other.errors, reference.errors);
  return report;
}

// One process after the other: `ip -batch` goes on using the index of a link that was deleted and made again.
std::vector<Tool> separate_tools() {
  constexpr const char* kEach =
      "n=0; while IFS= read -r line; do n=$((n + 1)); printf '%s\\n' \"$line\" | ip -batch - 2>/dev/null || "
      "{ echo \"Command failed $1:$n\" >&2; exit 1; }; done <\"$1\"";
  return {{"ip, line by line", {"sh", "-c", kEach, "sh", "{}"}}, netbatch_tool("netbatch", {"--on-error", "stop"})};
}

std::vector<Tool> stop_tools() {
  return {{"ip -batch", {"ip", "-batch", "{}"}}, netbatch_tool("netbatch", {"--on-error", "stop"})};
}

std::vector<Tool> continue_tools() {
  return {netbatch_tool("one by one", {"--no-plan", "--window", "1", "--on-error", "continue"}),
          netbatch_tool("netbatch", {"--on-error", "continue"})};
}

}  // namespace

TEST_CASE("compare: stop at a refused statement in any place ends as with ip -batch") {
  if (!sandboxes_work()) return;
  check_faults(stop_tools(), chosen(suite_faults(false, fault_seed()), 120), compare_outcomes);
}

TEST_CASE("compare: continue after a refused statement in any place ends as one by one") {
  if (!sandboxes_work()) return;
  check_faults(continue_tools(), chosen(suite_faults(false, fault_seed()), 80), compare_outcomes);
}

TEST_CASE("compare: random wrong scripts stop as with ip -batch") {
  if (!sandboxes_work()) return;
  check_faults(separate_tools(), random_faults(true, 1000 * fault_seed(), all_faults() ? 1000 : 60), compare_outcomes);
}

TEST_CASE("compare: random wrong scripts continue as one by one") {
  if (!sandboxes_work()) return;
  check_faults(continue_tools(), random_faults(false, 1000 * fault_seed(), all_faults() ? 1000 : 40), compare_outcomes);
}

TEST_CASE("compare: a bridge that is full refuses a port as with ip -batch") {
  if (!sandboxes_work()) return;
  std::string script = "link add name br0 type bridge\n";
  for (int i = 1; i <= 1030; ++i)
    script += fmt::format("link add name p{0} type veth peer name q{0}\nlink set dev p{0} master br0\n", i);
  check_faults(stop_tools(), {{"1,024 ports", std::string(fault_ground()), script}}, compare_outcomes);
}
