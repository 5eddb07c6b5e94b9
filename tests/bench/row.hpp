// What a benchmark row is: a workload, the ways to do it, and how to tell that it has been done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace netbatch::bench {

// kFailing: the script with a last statement that fails, so that the run takes all back. kLoop, kLines: netbatch's
// library, up to the plan, with a script that is a loop, and with the same one written out.
enum Subject : unsigned { kIp, kNoPlan, kPlanned, kFloor, kContinue, kJournal, kFailing, kLoop, kLines, kSubjects };

constexpr unsigned mask(Subject subject) { return 1U << subject; }
constexpr unsigned kNetbatch = mask(kNoPlan) | mask(kPlanned);
constexpr unsigned kAll = mask(kIp) | kNetbatch | mask(kFloor);
constexpr unsigned kPolicies = mask(kContinue) | mask(kJournal);
constexpr unsigned kCompiled = mask(kLoop) | mask(kLines);

struct SubjectKind {
  const char* name;
  bool is_netbatch;
  std::vector<std::string> words;  // after netbatch's `run`
};
extern const SubjectKind kSubjectKinds[kSubjects];

struct Size {
  size_t total = 0;  // objects that the row is about
  size_t slow = 0;   // of them, what `ip` and --no-plan are timed on, scaled up linearly; 0: all
};

// One run of one subject.
struct Case {
  size_t total = 0;
  size_t units = 0;  // of the total, those that this run works on
  std::filesystem::path directory;
  std::string ip;        // the programs
  std::string netbatch;  // empty: there is none
};

constexpr const char* kScriptName = "script.nb";  // netbatch's, in the case's directory

using Command = std::vector<std::string>;

struct Row {
  const char* name;
  const char* title;
  Size full;
  Size quick;
  unsigned subjects;   // mask of Subject
  int repeats;         // of the commands within a run; its figure is their median
  const char* action;  // of netbatch: run or check
  // All are called in a fresh sandbox with lo up.
  void (*setup)(const Case&);                            // before the clock starts; null: nothing
  std::vector<Command> (*ip)(const Case&);               // writes scripts, returns what the clock runs
  void (*script)(const Case&, const std::string& path);  // writes netbatch's
  std::function<void()> (*floor)(const Case&);           // makes the messages, returns what the clock runs; or null
  // Throw std::runtime_error when the result is wrong.
  void (*verify)(const Case&);
  void (*verify_failing)(const Case&) = nullptr;  // of kFailing
  // Make the script of kLoop and kLines, and return what the clock runs.
  std::function<void()> (*loop)(const Case&) = nullptr;
  std::function<void()> (*lines)(const Case&) = nullptr;
};

extern const std::vector<Row> kRows;

// The medians of a row's runs; no value where it has not been run.
struct Result {
  std::optional<double> seconds[kSubjects];  // for the whole of it, scaled up where need be
  size_t measured_units[kSubjects] = {};
  size_t total = 0;
  uint64_t peak_bytes = 0;  // of netbatch
};

}  // namespace netbatch::bench
