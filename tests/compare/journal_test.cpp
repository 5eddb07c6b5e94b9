// Runs that are killed, and `netbatch undo`.
// NETBATCH_FAULTS=all kills 50 runs instead of some; NETBATCH_FAULT_SEED=7 kills at other moments.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/compare/fault.hpp"
#include "tests/compare/fault_case.hpp"

using namespace netbatch::compare;

namespace {

constexpr const char* kBefore =
    "link add name br0 address 02:00:00:00:00:01 up type bridge\n"
    "link add name v0 type veth peer name w0\n"
    "link set dev v0 master br0 up\n"
    "link set dev w0 up mtu 1400\n"
    "addr add 10.0.0.1/16 dev br0\n"
    "addr add fd00::1/64 dev w0 nodad\n"
    "route add 10.9.0.0/16 via 10.0.0.9\n"
    "neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev br0\n"
    "link add name v1 type veth peer name w1\n"
    "link set dev v1 alias first\n"
    "addr add 10.1.0.1/24 dev v1\n"
    "netns add old\n";

// Changes what was there, then makes 2,000 links, then changes more.
constexpr const char* kScript =
    "link set dev v1 name first alias second mtu 1300\n"
    "link set dev w0 down\n"
    "addr add 10.2.0.1/24 dev first\n"
    "for i in 1..40 { netns add c$i\n"
    "  link add name h$i master br0 up type veth peer { name eth0; netns c$i; up; addr 10.0.1.$i/16 }\n"
    "}\n"
    "for i in 1..1000 {\n"
    "  link add name a$i mtu ${1400 + i % 100} type veth peer name b$i\n"
    "}\n"
    "for i in 1..100 { link set dev a$i name x$i }\n"
    "link set dev w1 netns old\n"
    "route add 10.8.0.0/16 dev br0\n"
    "link set dev v0 nomaster\n";

// Starts a run with a journal and kills it after $2 seconds; what follows takes it back. 0 when the run was not killed,
// as it had ended.
constexpr const char* kKill =
    "\"$NB\" run --journal /run/j \"$1\" & pid=$!; sleep $2; kill -9 $pid; wait $pid; [ $? = 137 ] || exit 0\n"
    "[ -e /run/j ] || exit 1\n"
    "cp /run/j /run/k\n";
constexpr const char* kUndo = "\"$NB\" undo /run/j || exit 3\n";
constexpr const char* kAgain = "\"$NB\" undo /run/k || exit 4\n";
constexpr const char* kKillUndo =
    "\"$NB\" undo /run/j & pid=$!; sleep $3; kill -9 $pid; wait $pid\n[ -e /run/j ] || exit 1\n";

constexpr int kKilled = 1;

Tool shell_tool(const std::string& commands, const std::vector<std::string>& arguments = {}) {
  const std::string netbatch = netbatch_tool("", {}).command.front();
  Tool tool{"killed", {"sh", "-c", "NB=" + netbatch + "\n" + commands, "sh", "{}"}};
  tool.command.insert(tool.command.end(), arguments.begin(), arguments.end());
  return tool;
}

void check_killed(const std::string& commands, int runs) {
  if (const std::string problem = sandbox_problem(); !problem.empty()) {
    std::printf("skipped: no sandbox: %s\n", problem.c_str());
    return;
  }
  std::mt19937_64 random(fault_seed());
  unsigned latest = 600;  // ms
  int killed = 0;
  for (int tries = 0; killed < runs && tries < 5 * runs; ++tries) {
    const unsigned moment = static_cast<unsigned>(random()) % latest;
    const std::string after = fmt::format("{}.{:03}", moment / 1000, moment % 1000);
    const std::string undo_after = fmt::format("0.{:03}", random() % 200);
    const Outcome outcome = Run(shell_tool(commands + "exit 1", {after, undo_after}), kScript, kBefore).finish();
    if (outcome.status == 0) {  // it had ended
      latest = std::max(moment, 1u);
      continue;
    }
    ++killed;
    CHECK_MESSAGE(outcome.status == kKilled, "killed after ", after, " s: ", outcome.errors);
    const std::string changed = restorable_difference(outcome);
    CHECK_MESSAGE(changed.empty(), "killed after ", after, " s, undo after ", undo_after, " s:\n", changed,
                  outcome.errors);
  }
  CHECK(killed == runs);
}

}  // namespace

TEST_CASE("compare: undo of a killed run leaves what it found") {
  check_killed(std::string(kKill) + kUndo + kAgain, all_faults() ? 50 : 4);
}

TEST_CASE("compare: an undo that was killed is done by the next one") {
  check_killed(std::string(kKill) + kKillUndo + kUndo, all_faults() ? 50 : 3);
}

// At byte $2, $2 + $3, and so on. What is whole of a journal is taken back, again and again.
TEST_CASE("compare: a journal that is cut off or damaged anywhere") {
  if (!sandbox_problem().empty()) return;
  constexpr const char* kDamage =
      "\"$NB\" run --on-error stop --journal /run/j \"$1\"; [ -e /run/j ] || exit 9\n"
      "size=$(stat -c %s /run/j)\n"
      "undo() { \"$NB\" undo /run/t >/run/said 2>&1; code=$?; [ $code -le 2 ] && [ -s /run/said ] && return\n"
      "  echo \"$1 $i of $size: exit status $code\" >&2; cat /run/said >&2; exit 8; }\n"
      "i=$2; while [ $i -lt $size ]; do\n"
      "  head -c $i /run/j >/run/t; undo cut\n"
      "  { head -c $i /run/j; printf '\\377'; tail -c +$((i + 2)) /run/j; } >/run/t; undo damaged\n"
      "  i=$((i + $3)); done\n"
      "\"$NB\" undo /run/j || exit 7\n"
      "exit 1";
  const std::string script =
      "link set dev v1 name first alias second\nnetns add c1\nlink add name a0 type veth peer name b0\n"
      "link set dev b0 netns c1\naddr add 10.2.0.1/24 dev first\nlink set dev w1 netns old\nlink set dev lo master "
      "lo\n";
  constexpr int kStep = 61;
  for (int first = 0; first < (all_faults() ? kStep : 1); ++first) {
    const Tool tool = shell_tool(kDamage, {std::to_string(first), std::to_string(kStep)});
    const Outcome outcome = Run(tool, script, kBefore).finish();
    CHECK_MESSAGE(outcome.status == 1, "from byte ", first, ": ", outcome.errors);
    const std::string changed = restorable_difference(outcome);
    CHECK_MESSAGE(changed.empty(), "from byte ", first, ":\n", changed, outcome.errors);
  }
}
