#include "goals.hpp"

#include <fmt/core.h>

namespace netbatch::bench {

namespace {

struct Term {
  const char* row;
  Subject subject;
};

// What is measured: a time divided by another, what it takes beyond the other divided by that, the first for each
// object, objects a second, or bytes an object.
enum class Measure { kTimes, kBeyond, kTimesPerObject, kRate, kBytes };
enum class Bound { kAtMost, kAtLeast };

struct Goal {
  const char* text;
  Measure measure;
  Term left;
  Term right;  // not used by rates and bytes
  Bound bound;
  double limit;
};

// clang-format off
constexpr Goal kGoals[] = {
    {"add: netbatch / floor", Measure::kTimes, {"add", kPlanned}, {"add", kFloor}, Bound::kAtMost, 1.05},
    {"add: netbatch / ip", Measure::kTimes, {"add", kPlanned}, {"add", kIp}, Bound::kAtMost, 1},
    {"delete: ip / netbatch", Measure::kTimes, {"delete", kIp}, {"delete", kPlanned}, Bound::kAtLeast, 50},
    {"delete: netbatch / floor", Measure::kTimes, {"delete", kPlanned}, {"delete", kFloor}, Bound::kAtMost, 1.25},
    {"add: rollback / adding", Measure::kBeyond, {"add", kFailing}, {"add", kPlanned}, Bound::kAtMost, 0.6},
    {"add: netbatch / --on-error=continue", Measure::kTimes,
     {"add", kPlanned}, {"add", kContinue}, Bound::kAtMost, 1.05},
    {"add: --journal / without", Measure::kTimes, {"add", kJournal}, {"add", kPlanned}, Bound::kAtMost, 1.1},
    {"set: ip / --on-error=continue", Measure::kTimes, {"set", kIp}, {"set", kContinue}, Bound::kAtLeast, 4},
    {"set: --on-error=continue / floor", Measure::kTimes, {"set", kContinue}, {"set", kFloor}, Bound::kAtMost, 1.3},
    {"set: netbatch / --on-error=continue", Measure::kTimes,
     {"set", kPlanned}, {"set", kContinue}, Bound::kAtMost, 1.5},
    {"set: --journal / without", Measure::kTimes, {"set", kJournal}, {"set", kPlanned}, Bound::kAtMost, 1.1},
    {"containers: ip / netbatch", Measure::kTimes,
     {"containers", kIp}, {"containers", kPlanned}, Bound::kAtLeast, 12},
    {"containers: cost of each of 2,500 / of 500", Measure::kTimesPerObject,
     {"containers-2500", kPlanned}, {"containers-500", kPlanned}, Bound::kAtMost, 1.5},
    {"one set: host with 10,000 links / with 10", Measure::kTimes,
     {"host-10000", kPlanned}, {"host-10", kPlanned}, Bound::kAtMost, 1.1},
    {"check: lines a second", Measure::kRate, {"check", kPlanned}, {}, Bound::kAtLeast, 500'000},
    {"check: bytes of memory a line", Measure::kBytes, {"check", kPlanned}, {}, Bound::kAtMost, 400},
    {"expand: statements of a loop a second", Measure::kRate, {"expand", kLoop}, {}, Bound::kAtLeast, 1'000'000},
    {"expand: a loop / the same written out", Measure::kTimes,
     {"expand", kLoop}, {"expand", kLines}, Bound::kAtMost, 1},
};
// clang-format on

struct Timed {
  double seconds = 0;
  const Result* result = nullptr;
};

std::optional<Timed> timed(const Results& results, const Term& term) {
  const auto found = results.find(term.row);
  if (found == results.end() || !found->second.seconds[term.subject]) return std::nullopt;
  return Timed{*found->second.seconds[term.subject], &found->second};
}

std::optional<double> measured(const Results& results, const Goal& goal) {
  const std::optional<Timed> left = timed(results, goal.left);
  if (!left) return std::nullopt;
  const auto objects = static_cast<double>(left->result->total);
  if (goal.measure == Measure::kRate) return objects / left->seconds;
  if (goal.measure == Measure::kBytes) return static_cast<double>(left->result->peak_bytes) / objects;
  const std::optional<Timed> right = timed(results, goal.right);
  if (!right) return std::nullopt;
  const double ratio = left->seconds / right->seconds;
  if (goal.measure == Measure::kTimes) return ratio;
  if (goal.measure == Measure::kBeyond) return ratio - 1;
  return ratio * static_cast<double>(right->result->total) / objects;
}

std::string cell(const Result& result, Subject subject) {
  if (!result.seconds[subject]) return "-";
  const double seconds = *result.seconds[subject];
  const char* scaled = result.measured_units[subject] < result.total ? "*" : "";
  return seconds < 0.1 ? fmt::format("{:.2f} ms{}", seconds * 1e3, scaled) : fmt::format("{:.3f} s{}", seconds, scaled);
}

std::string ratio(const Result& result, Subject left, Subject right) {
  if (!result.seconds[left] || !result.seconds[right]) return "-";
  return fmt::format("{:.2f}", *result.seconds[left] / *result.seconds[right]);
}

}  // namespace

void print_header() {
  fmt::print("{:42} {:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14}\n", "work", "objects", "ip -batch", "--no-plan",
             "netbatch", "floor", "ip/netbatch", "netbatch/floor");
}

void print_row(const Row& row, const Result& result) {
  fmt::print("{:42} {:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14}\n", row.title, result.total, cell(result, kIp),
             cell(result, kNoPlan), cell(result, kPlanned), cell(result, kFloor), ratio(result, kIp, kPlanned),
             ratio(result, kPlanned, kFloor));
  for (const Subject subject : {kContinue, kJournal, kFailing, kLoop, kLines}) {
    if (result.seconds[subject]) fmt::print("  {:64} {:>12}\n", kSubjectKinds[subject].name, cell(result, subject));
  }
  for (unsigned subject = 0; subject < kSubjects; ++subject) {
    if (!result.seconds[subject] || result.measured_units[subject] == result.total) continue;
    fmt::print("  * timed on {} of the {}, scaled up linearly\n", result.measured_units[subject], result.total);
    break;
  }
  std::fflush(stdout);
}

void print_goals(const Results& results) {
  fmt::print("\n{:45} {:>14} {:>22}\n", "goal", "measured", "wanted");
  for (const Goal& goal : kGoals) {
    const std::optional<double> value = measured(results, goal);
    if (!value) continue;
    const bool at_most = goal.bound == Bound::kAtMost;
    const bool met = at_most ? *value <= goal.limit : *value >= goal.limit;
    const int digits = *value < 100 ? 2 : 0;
    fmt::print("{:45} {:>14.{}f} {:>9} {:>12} {}\n", goal.text, *value, digits, at_most ? "at most" : "at least",
               goal.limit, met ? "met" : "NOT MET");
  }
}

}  // namespace netbatch::bench
