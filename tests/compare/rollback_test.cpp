// A script that fails leaves, by default, the state that it found.
// NETBATCH_FAULTS=all takes all cases instead of some; NETBATCH_FAULT_SEED=7 takes others.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <regex>

#include "tests/compare/fault.hpp"
#include "tests/compare/fault_case.hpp"
#include "tests/compare/state.hpp"

using namespace netbatch::compare;

namespace {

bool sandboxes_work() {
  static const std::string problem = sandbox_problem();
  if (!problem.empty()) std::printf("skipped: no sandbox: %s\n", problem.c_str());
  return problem.empty();
}

std::vector<Tool> rollback_tools() { return {netbatch_tool("netbatch", {"--on-error", "rollback"})}; }

// The links that were deleted and, as is said, could not be made again.
std::vector<std::string> lost_links(const std::string& errors) {
  static const std::regex told("not restored: the link '([^']+)'.* was deleted and could not be made again");
  std::vector<std::string> lost;
  for (std::sregex_iterator match(errors.begin(), errors.end(), told), end; match != end; ++match)
    lost.push_back((*match)[1].str());
  return lost;
}

// The lines of a difference that are not about those.
std::string without_lost(const std::string& difference, const std::vector<std::string>& lost) {
  std::string rest;
  for (const std::string& line : lines_of(difference)) {
    const bool about_lost = std::any_of(lost.begin(), lost.end(), [&](const std::string& name) {
      return line.find("/" + name + ":") != std::string::npos || line.find("\"" + name + "\"") != std::string::npos;
    });
    if (!about_lost) rest += line + "\n";
  }
  return rest;
}

std::string compare_with_before(const FaultCase&, const std::vector<Outcome>& outcomes) {
  const Outcome& outcome = outcomes[0];
  if (outcome.status == 0 || outcome.before.is_null()) return {};  // what fails has been left out, while shrinking
  const std::string changed = without_lost(restorable_difference(outcome), lost_links(outcome.errors));
  if (changed.empty()) return "";
  return fmt::format("{}  it says: {}\n", changed, outcome.errors);
}

}  // namespace

TEST_CASE("compare: rollback of a script that makes everything leaves nothing of it") {
  if (!sandboxes_work()) return;
  check_faults(rollback_tools(), chosen(suite_faults(false, fault_seed()), 60), compare_with_before);
}

TEST_CASE("compare: rollback of a script that changes what it finds leaves what it found") {
  if (!sandboxes_work()) return;
  check_faults(rollback_tools(), chosen(suite_faults(true, fault_seed()), 120), compare_with_before);
}

TEST_CASE("compare: rollback of random wrong scripts leaves what they found") {
  if (!sandboxes_work()) return;
  check_faults(rollback_tools(), random_faults(true, 1000 * fault_seed(), all_faults() ? 1000 : 60),
               compare_with_before);
}

TEST_CASE("compare: rollback of routes that came with addresses leaves them") {
  if (!sandboxes_work()) return;
  const std::string ground = std::string(fault_ground()) +
                             "link add name v0 type veth peer name v1\nlink set dev v0 up\nlink set dev v1 up\n"
                             "addr add 10.0.0.1/24 dev v0\naddr add fd00::1/64 dev v0 nodad\n";
  const std::string fails = "route del 10.99.0.0/16 dev v0\n";
  check_faults(rollback_tools(),
               {{"deleted", ground, "route del 10.0.0.0/24 dev v0\nroute del fd00::/64 dev v0\n" + fails},
                {"changed", ground, "route change 10.0.0.0/24 dev v0 proto kernel scope link mtu 1400\n" + fails},
                {"gone with its address", ground, "addr del 10.0.0.1/24 dev v0\nroute add default dev v0\n" + fails},
                {"deleted, and its address too", ground,
                 "route del 10.0.0.0/24 dev v0\naddr del 10.0.0.1/24 dev v0\naddr del fd00::1/64 dev v0\n" + fails}},
               compare_with_before);
}

TEST_CASE("compare: rollback of neighbours of every sort leaves those that it found") {
  if (!sandboxes_work()) return;
  const std::string ground = std::string(fault_ground()) +
                             "link add name v0 type veth peer name v1\nlink set dev v0 up\nlink set dev v1 up\n"
                             "addr add 10.0.0.1/24 dev v0\n"
                             "neigh add 10.0.0.20 lladdr 02:00:00:00:00:20 dev v0 nud stale\n"
                             "neigh add proxy 10.0.0.21 dev v0\n";
  const std::string fails = "route del 10.99.0.0/16 dev v0\n";
  std::vector<FaultCase> cases;
  for (const char* statement :
       {"add proxy 10.0.0.9 dev v0", "del proxy 10.0.0.21 dev v0", "del 10.0.0.20 dev v0",
        "add 10.0.0.9 lladdr 02:00:00:00:00:09 dev v0 nud stale", "add 10.0.0.9 lladdr 02:00:00:00:00:09 dev v0 router",
        "add 10.0.0.9 lladdr 02:00:00:00:00:09 dev v0 nud reachable",
        "add 10.0.0.9 lladdr 02:00:00:00:00:09 dev v0 nud noarp",
        "add 10.0.0.9 lladdr 02:00:00:00:00:09 dev v0 extern_learn", "add 10.0.0.9 dev v0 managed",
        "replace 10.0.0.20 lladdr 02:00:00:00:00:07 dev v0 nud stale",
        "replace 10.0.0.20 lladdr 02:00:00:00:00:07 dev v0 nud permanent"})
    cases.push_back({statement, ground, fmt::format("neigh {}\n{}", statement, fails)});
  check_faults(rollback_tools(), cases, compare_with_before);
}

TEST_CASE("compare: rollback of many links leaves nothing of them") {
  if (!sandboxes_work()) return;
  std::string pairs;
  std::string ports;
  for (int i = 1; i <= 2000; ++i) pairs += fmt::format("link add name a{0} type veth peer name b{0}\n", i);
  for (int i = 1; i <= 1030; ++i) ports += fmt::format("link add name a{0} master br0 type veth peer name b{0}\n", i);
  const std::string ground(fault_ground());
  check_faults(rollback_tools(),
               {{"2,000 pairs, then a bad MTU", ground, pairs + "link set dev fault1 mtu 99999999\n"},
                {"2,000 pairs, the last one twice", ground, pairs + "link add name fault9 type veth peer name lo\n"},
                {"1,024 ports", ground, "link add name br0 type bridge\n" + ports}},
               compare_with_before);
}
