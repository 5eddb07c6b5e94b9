#include "tests/compare/fault_case.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <regex>

#include "tests/compare/fault.hpp"
#include "tests/compare/generator.hpp"
#include "tests/compare/suite.hpp"
#include "tests/compare/trial.hpp"

namespace netbatch::compare {

namespace {

constexpr size_t kTrialsAtOnce = 8;
constexpr int kShrinkBudget = 120;
constexpr size_t kMostToShrink = 20'000;
constexpr int kShrunkCases = 3;  // the others are shown whole

std::vector<Script> usable_scripts() {
  std::vector<Script> scripts = read_scripts(NETBATCH_SOURCE_DIR "/tests/compare/scripts");
  std::erase_if(scripts, [](const Script& script) { return !missing_needs(script.text).empty(); });
  return scripts;
}

// A bridge that has had a port differs for good from one that never had: its carrier is that of its ports, and it takes
// a hardware limit (tso_max_size) from them. So each bridge is given one for a moment.
std::string with_used_bridges(const std::string& script, bool pinned) {
  static const std::regex creation(R"((.*)link add (?:name )?(\S+).* type bridge.*)");
  std::string result;
  int count = 0;
  for (const std::string& line : lines_of(script)) {
    result += line + "\n";
    std::smatch match;
    if (!std::regex_match(line, match, creation)) continue;
    const std::string ip = match[1].str();
    result += fmt::format("{0}link add name fault7 type veth peer name fault8\n{0}link set dev fault7 master {1}\n", ip,
                          match[2].str());
    result += fmt::format("{}link del dev fault7\n", ip);
    if (pinned) result += fmt::format("{}link set dev {} address 02:00:00:00:ff:{:02x}\n", ip, match[2].str(), count++);
  }
  return result;
}

FaultCase with_fault(const Script& script, size_t place, size_t first, size_t choice) {
  std::vector<std::string> lines = lines_of(script.text);
  const std::string statement(fault(choice));
  lines.insert(lines.begin() + static_cast<long>(place), statement);
  return {fmt::format("{} from line {}, line {} is: {}", script.name, first + 1, place + 1, statement),
          with_used_bridges(std::string(fault_ground()) + script_of(lines, 0, first), false),
          script_of(lines, first, lines.size())};
}

std::vector<std::string> kinds_of_kernel() {
  std::vector<std::string> kinds{"neigh"};
  for (const char* kind : {"macvlan", "vxlan", "vlan", "dummy"})
    if (kernel_has(kind)) kinds.push_back(kind);
  return kinds;
}

// Leaves out one line in eight, so that what follows may miss it, and puts in some that are refused. With the line that
// deletes the other end left out, a namespace that holds one end of a veth would go while the script runs on, and the
// kernel takes the other end away at a time of its own, for `ip` too: from the first such end on, no namespace goes.
std::string spoilt(const std::string& script, std::mt19937_64& random) {
  static const std::regex crossing(" netns c[0-9]");
  std::string result;
  bool crossed = false;
  for (const std::string& line : lines_of(script)) {
    crossed = crossed || std::regex_search(line, crossing);
    const bool lingers = crossed && line.find("netns del ") != std::string::npos;
    if (random() % 8 != 0 && !lingers) result += line + "\n";
    if (random() % 24 == 0) result += std::string(fault(random())) + "\n";
  }
  return result + std::string(fault(random())) + "\n";
}

std::string shown(const FaultCase& fault_case) {
  return fmt::format("before:\n{}script:\n{}", numbered(fault_case.prepare), numbered(fault_case.script));
}

std::string judged(const std::vector<Tool>& tools, const FaultCase& fault_case, Judge judge) {
  return judge(fault_case, FaultTrial(tools, fault_case).finish());
}

// Both scripts as short as they can be and still wrong.
FaultCase shrunk(const std::vector<Tool>& tools, FaultCase fault_case, Judge judge) {
  for (std::string FaultCase::*part : {&FaultCase::script, &FaultCase::prepare}) {
    fault_case.*part = shrink(
        fault_case.*part,
        [&](const std::string& shorter) {
          FaultCase other = fault_case;
          other.*part = shorter;
          return !judged(tools, other, judge).empty();
        },
        kShrinkBudget);
  }
  return fault_case;
}

}  // namespace

std::vector<FaultCase> suite_faults(bool split, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<FaultCase> cases;
  for (const Script& script : usable_scripts()) {
    const std::vector<size_t> places = places_for_a_statement(lines_of(script.text));
    const size_t choice = random();
    for (size_t i = 0; i < places.size(); ++i)
      cases.push_back(with_fault(script, places[i], split ? places[random() % (i + 1)] : 0, choice + i));
  }
  return cases;
}

std::vector<FaultCase> random_faults(bool split, uint64_t first_seed, size_t count) {
  const std::vector<std::string> kinds = kinds_of_kernel();
  std::vector<FaultCase> cases;
  for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    std::mt19937_64 random(seed);
    FaultCase made{fmt::format("random {}", seed), std::string(fault_ground()), generate(seed, kinds)};
    if (split) {  // the script goes on where what exists before was made
      const std::vector<std::string> lines = lines_of(made.script);
      const size_t middle = random() % lines.size();
      made.prepare += script_of(lines, 0, middle);
      made.script = script_of(lines, middle, lines.size());
    }
    made.prepare = with_used_bridges(made.prepare, true);
    made.script = spoilt(made.script, random);
    cases.push_back(std::move(made));
  }
  return cases;
}

std::vector<FaultCase> chosen(std::vector<FaultCase> cases, size_t count) {
  if (all_faults()) return cases;
  std::mt19937_64 random(fault_seed());
  std::shuffle(cases.begin(), cases.end(), random);
  if (cases.size() > count) cases.resize(count);
  return cases;
}

uint64_t fault_seed() {
  const char* text = std::getenv("NETBATCH_FAULT_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

bool all_faults() {
  const char* text = std::getenv("NETBATCH_FAULTS");
  return text != nullptr && std::string_view(text) == "all";
}

Tool netbatch_tool(const std::string& name, const std::vector<std::string>& more) {
  Tool tool = tools(more).back();
  tool.name = name;
  return tool;
}

FaultTrial::FaultTrial(const std::vector<Tool>& tools, FaultCase fault_case) : case_(std::move(fault_case)) {
  for (const Tool& tool : tools) runs_.emplace_back(tool, case_.script, case_.prepare);
}

std::vector<Outcome> FaultTrial::finish() {
  std::vector<Outcome> outcomes;
  for (Run& run : runs_) outcomes.push_back(run.finish());
  return outcomes;
}

void check_faults(const std::vector<Tool>& tools, const std::vector<FaultCase>& cases, Judge judge) {
  int to_shrink = kShrunkCases;
  auto check = [&](FaultTrial& trial) {
    const FaultCase& fault_case = trial.fault_case();
    std::string report = judge(fault_case, trial.finish());
    if (!report.empty() && judged(tools, fault_case, judge).empty()) {
      std::printf("a matter of timing: %s\n%s%s\n", fault_case.name.c_str(), shown(fault_case).c_str(), report.c_str());
      report.clear();
    }
    if (report.empty()) {
      CHECK(report.empty());
      return;
    }
    if (fault_case.script.size() > kMostToShrink || to_shrink-- <= 0) {
      FAIL_CHECK(fault_case.name, ":\n", shown(fault_case), report);
      return;
    }
    const FaultCase smallest = shrunk(tools, fault_case, judge);
    FAIL_CHECK(fault_case.name, ":\n", report, "shrunk:\n", shown(smallest), judged(tools, smallest, judge));
  };
  std::deque<FaultTrial> running;
  for (const FaultCase& fault_case : cases) {
    running.emplace_back(tools, fault_case);
    if (running.size() < kTrialsAtOnce) continue;
    check(running.front());
    running.pop_front();
  }
  for (FaultTrial& rest : running) check(rest);
}

}  // namespace netbatch::compare
