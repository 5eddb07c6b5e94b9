#include "interpreter/run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>

#include "interpreter/kernel_transport.hpp"
#include "interpreter/planner.hpp"
#include "interpreter/program.hpp"
#include "interpreter/report.hpp"
#include "netlink/netns.hpp"

namespace netbatch {
namespace {

// Operations that are planned together. What a longer script has is planned and run in such pieces.
constexpr size_t kPiece = 128 * 1024;

// Failures that are shown; the rest are counted.
constexpr size_t kMostShown = 20;

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> time = now - last_;
    last_ = now;
    return time.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void show(const Diagnostic& diagnostic, const Program& program) {
  fmt::print(stderr, "{}", grammar::render(diagnostic, program.sources));
}

int show_errors(const Program& program, bool changes) {
  if (!program.unreadable.empty()) {
    fmt::print(stderr, "netbatch: {}\n", program.unreadable);
    return kWrong;
  }
  for (const Diagnostic& error : program.errors) show(error, program);
  if (program.more_errors) fmt::print(stderr, "there are more errors\n");
  if (changes) fmt::print(stderr, "nothing was changed\n");
  return kWrong;
}

// Reads and checks the whole script. `first` gets the operations of its first piece, all of them if they fit.
bool compile(Program& program, Operations& first, bool& whole) {
  program.next(first, kPiece);
  whole = first.list.size() < kPiece;
  if (!whole) program.check();
  return !program.has_errors();
}

// For each name of a namespace, the first name of the same one: two names can be one namespace.
std::vector<NsId> same_namespaces(const Namespaces& namespaces, Transport& transport) {
  std::vector<NsId> same(namespaces.size());
  std::vector<std::pair<uint32_t, NsId>> seen;
  for (NsId ns = 0; ns < namespaces.size(); ++ns) {
    same[ns] = ns;
    auto identity = transport.identity(ns);
    if (!identity) continue;  // it does not exist yet
    if (seen.size() <= *identity) seen.resize(*identity + 1, {0, UINT32_MAX});
    if (seen[*identity].second == UINT32_MAX) seen[*identity].second = ns;
    same[ns] = seen[*identity].second;
  }
  return same;
}

void print_stats(const Stats& stats) {
  fmt::print(stderr,
             "operations  {}\nrequests    {}\nsendmsg     {}\nacks        {}\nlook-ups    {}\nrun plainly {}\n"
             "parse       {:.3f} s\nplan        {:.3f} s\nexecute     {:.3f} s\n",
             stats.operations, stats.requests, stats.sends, stats.acks, stats.lookups, stats.plain, stats.parse_seconds,
             stats.plan_seconds, stats.execute_seconds);
}

// Shows failures as they come, and counts those beyond the first ones.
class FailureLog {
 public:
  void add(const Outcomes& outcomes, const Operations& operations, size_t first_operation, Program& program) {
    for (const Failure& failure : outcomes.failures) {
      if (++count_ > kMostShown) continue;
      Diagnostic diagnostic = describe(failure, operations, program);
      shown_.push_back({std::move(diagnostic), first_operation + failure.operation});
    }
  }
  size_t count() const { return count_; }
  // After the run, because finding the loop that a statement is in expands the script again.
  void print(Program& program) {
    for (auto& [diagnostic, operation] : shown_) {
      auto notes = program.context_of(operation);
      diagnostic.notes.insert(diagnostic.notes.begin(), notes.begin(), notes.end());
      show(diagnostic, program);
    }
    if (count_ > kMostShown) fmt::print(stderr, "and {} more failures\n", count_ - kMostShown);
  }

 private:
  std::vector<std::pair<Diagnostic, size_t>> shown_;
  size_t count_ = 0;
};

int execute(Program& program, Operations& operations, bool whole, const RunOptions& options, Stats& stats,
            Stopwatch& watch) {
  KernelTransport transport(program.namespaces);
  Executor executor(transport, program.namespaces, options.executor, stats);
  FailureLog failures;
  size_t first_operation = 0;
  if (!whole) {
    program.rewind();
    operations.clear();
    program.next(operations, kPiece);
  }
  while (!operations.list.empty()) {
    const PlannerOptions planner{!options.plan, same_namespaces(program.namespaces, transport)};
    const Plan plan = make_plan(operations, program.namespaces, planner);
    stats.plan_seconds += watch.lap();
    Outcomes outcomes;
    const bool goes_on = executor.run(plan, operations, outcomes);
    stats.operations += operations.list.size();
    stats.execute_seconds += watch.lap();
    failures.add(outcomes, operations, first_operation, program);
    first_operation += operations.list.size();
    if (!goes_on || whole) break;
    operations.clear();
    program.next(operations, kPiece);
  }
  if (options.stats) print_stats(stats);
  failures.print(program);
  return failures.count() == 0 ? kDone : kFailed;
}

bool enter_sandbox() {
  std::string what;
  const int error = netlink::enter_sandbox(&what);
  if (error != 0) fmt::print(stderr, "netbatch: no sandbox: {}: {}\n", what, strerrordesc_np(error));
  return error == 0;
}

// As from a shell: 127 when there is no such program, 128 + N when signal N ended it.
int run_command(const std::vector<std::string>& command) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    fmt::print(stderr, "netbatch: cannot run '{}': {}\n", command[0], strerrordesc_np(errno));
    std::fflush(nullptr);
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) fmt::print(stderr, "netbatch: cannot start '{}': {}\n", command[0], strerrordesc_np(errno));
  if (child < 0) return kWrong;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int run_script(const RunOptions& options) {
  Stopwatch watch;
  Stats stats;
  Program program(options.definitions);
  Operations operations;
  bool whole = false;
  if (!program.load(options.file) || !compile(program, operations, whole)) return show_errors(program, true);
  stats.parse_seconds = watch.lap();
  if (options.sandbox && !enter_sandbox()) return kWrong;
  const int status = execute(program, operations, whole, options, stats, watch);
  if (options.command.empty()) return status;
  const int command_status = run_command(options.command);
  return status == kDone ? command_status : status;
}

int check_script(const RunOptions& options) {
  Program program(options.definitions);
  if (program.load(options.file)) program.check_names();
  for (const Diagnostic& warning : program.warnings) show(warning, program);
  return program.has_errors() ? show_errors(program, false) : kDone;
}

int plan_script(const RunOptions& options) {
  Program program(options.definitions);
  Operations operations;
  bool whole = false;
  if (!program.load(options.file) || !compile(program, operations, whole)) return show_errors(program, false);
  if (!whole) {
    program.rewind();
    operations.clear();
    program.next(operations, kPiece);
  }
  while (!operations.list.empty()) {
    const Plan plan = make_plan(operations, program.namespaces, {!options.plan, {}});
    fmt::print("{}", to_string(plan, operations, program.namespaces));
    operations.clear();
    if (!whole) program.next(operations, kPiece);
  }
  return kDone;
}

}  // namespace netbatch
