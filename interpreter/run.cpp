#include "interpreter/run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "interpreter/kernel_transport.hpp"
#include "interpreter/plan_json.hpp"
#include "interpreter/planner.hpp"
#include "interpreter/print.hpp"
#include "interpreter/program.hpp"
#include "interpreter/provision.hpp"
#include "interpreter/report.hpp"
#include "interpreter/settle.hpp"
#include "netlink/netns.hpp"

namespace netbatch {
namespace {

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
  print(stderr, "{}", grammar::render(diagnostic, program.sources));
}

int show_errors(const Program& program, bool changes) {
  if (!program.unreadable.empty()) {
    print(stderr, "netbatch: {}\n", program.unreadable);
    return kWrong;
  }
  for (const Diagnostic& error : program.errors) show(error, program);
  if (program.more_errors) print(stderr, "there are more errors\n");
  if (changes) print(stderr, "nothing was changed\n");
  return kWrong;
}

// Reads and checks the whole script. `first` gets the operations of its first piece, all of them if they fit; `total`
// is how many there are.
bool compile(Program& program, Operations& first, size_t& total) {
  program.next(first, Provision::kPiece);
  const bool whole = first.list.size() < Provision::kPiece;
  if (!whole) program.check();
  if (program.has_errors()) return false;
  total = program.operation_count;
  if (!whole) {
    program.rewind();
    first.clear();
    program.next(first, Provision::kPiece);
  }
  return true;
}

void print_stats(const Stats& stats) {
  print(stderr,
        "operations  {}\nrequests    {}\nsendmsg     {}\nacks        {}\nlook-ups    {}\nrun plainly {}\n"
        "parse       {:.3f} s\nplan        {:.3f} s\nexecute     {:.3f} s\n",
        stats.operations, stats.requests, stats.sends, stats.acks, stats.lookups, stats.plain, stats.parse_seconds,
        stats.plan_seconds, stats.execute_seconds);
}

volatile std::sig_atomic_t ended_by = 0;

void note_signal(int number) { ended_by = number; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // who reads the messages does not end the run
}

int open_journal(Journal& journal, const RunOptions& options) {
  if (options.journal.empty()) return 0;
  const int error = journal.create(options.journal, options.sync);
  if (error == EEXIST)
    print(stderr,
          "netbatch: there is a journal '{}' already: an earlier run may not have been taken back; 'netbatch undo "
          "{}' does that\n",
          options.journal, options.journal);
  else if (error != 0)
    print(stderr, "netbatch: cannot make the journal '{}': {}\n", options.journal, strerrordesc_np(error));
  return error;
}

// `total`: operations of the whole program.
int execute(Program& program, Operations& operations, size_t total, const RunOptions& options, Stats& stats) {
  Journal journal(program.namespaces);
  if (open_journal(journal, options) != 0) return kWrong;
  ProvisionOptions provision_options{options.executor, options.plan};
  provision_options.executor.signal = &ended_by;
  Progress progress(STDERR_FILENO, total);
  provision_options.executor.progress = &progress;
  OutcomeLog log(program, options.executor.policy, stdout);
  if (options.json) provision_options.log = &log;
  Provision provision(program, provision_options, stats, options.journal.empty() ? nullptr : &journal);
  if (const int error = provision.permission(); error != 0) {
    print(stderr, "netbatch: links cannot be changed here: {}; run as root, or with --sandbox\n",
          strerrordesc_np(error));
    if (!options.journal.empty()) journal.remove();
    return kFailed;
  }
  while (!operations.list.empty() && provision.run(operations) && total >= Provision::kPiece) {
    operations.clear();
    program.next(operations, Provision::kPiece);
  }
  progress.erase();
  if (options.json) log.finish(provision.not_restored_count());
  if (options.stats) print_stats(stats);
  provision.report();
  const bool ended_well = provision.failure_count() == 0 && provision.signal() == 0;
  if (!options.journal.empty()) {
    if (ended_well || (provision.rolled_back() && provision.restored_all()))
      journal.remove();
    else
      print(stderr, "the journal remains: 'netbatch undo {}' takes back what was done\n", options.journal);
  }
  if (provision.signal() != 0) return 128 + provision.signal();
  return ended_well ? kDone : kFailed;
}

bool enter_sandbox() {
  std::string what;
  const int error = netlink::enter_sandbox(&what);
  if (error != 0) print(stderr, "netbatch: no sandbox: {}: {}\n", what, strerrordesc_np(error));
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
    ::signal(SIGPIPE, SIG_DFL);
    ::execvp(words[0], words.data());
    print(stderr, "netbatch: cannot run '{}': {}\n", command[0], strerrordesc_np(errno));
    std::fflush(nullptr);
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) print(stderr, "netbatch: cannot start '{}': {}\n", command[0], strerrordesc_np(errno));
  if (child < 0) return kWrong;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int run_script(const RunOptions& options) {
  Stopwatch watch;
  Stats stats;
  Program program(options.definitions);
  Operations operations;
  size_t total = 0;
  if (!program.load(options.file) || !compile(program, operations, total)) return show_errors(program, true);
  stats.parse_seconds = watch.lap();
  if (options.sandbox && !enter_sandbox()) return kWrong;
  catch_signals();
  const int status = execute(program, operations, total, options, stats);
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
  size_t total = 0;
  if (!program.load(options.file) || !compile(program, operations, total)) return show_errors(program, false);
  KernelTransport transport(program.namespaces);
  TransportReader reader(transport, program.namespaces);
  IrreversibleFinder finder(program.namespaces);
  IrreversibleList losses;
  size_t requests = 0;
  bool unsettled = false;
  while (!operations.list.empty()) {
    std::vector<Difference> differences;
    for (const Unsettled& each : settle(operations, program.namespaces, reader, &differences)) {
      show(each.error, program);
      unsettled = true;
    }
    const Plan plan = make_plan(operations, program.namespaces, {.plain = !options.plan, .defer_deletes = true});
    const std::vector<Irreversible> found = finder.find(operations);
    if (options.json) {
      print(stdout, "{}", to_json(plan, operations, program.namespaces, program.sources, requests, found, differences));
      requests += plan.requests.size();
    } else {
      print(stdout, "{}{}", to_string(differences, operations, program.namespaces, program.sources),
            to_string(plan, operations, program.namespaces));
      losses.add(found, operations, program.namespaces);
    }
    operations.clear();
    if (total >= Provision::kPiece) program.next(operations, Provision::kPiece);
  }
  print(stdout, "{}", losses.text(program.sources));
  return unsettled ? kFailed : kDone;
}

int undo_journal(const std::string& path) {
  Namespaces namespaces;
  JournalContents contents;
  read_journal(path, namespaces, contents);
  if (!contents.error.empty()) {
    print(stderr, "netbatch: {}\n", contents.error);
    return kWrong;
  }
  if (!contents.damage.empty()) print(stderr, "netbatch: {}: what comes before is taken back\n", contents.damage);
  Journal journal(namespaces);
  if (const int error = journal.reopen(path); error != 0) {
    print(stderr, "netbatch: cannot write '{}': {}\n", path, strerrordesc_np(error));
    return kWrong;
  }
  Stats stats;
  KernelTransport transport(namespaces);
  Undo undo(transport, namespaces, stats);
  size_t entries = 0;
  for (const UndoLog& log : contents.logs) entries += log.entries.size();
  // The end of a damaged journal cannot be written to: what follows would be read as a part of the damage.
  const auto problems = undo.run(contents.logs, contents.damage.empty() ? &journal : nullptr);
  for (const std::string& text : problems) print(stderr, "not restored: {}\n", text);
  if (undo.complete()) journal.remove();
  print(stderr, "took back {} step{} of '{}'\n", entries, entries == 1 ? "" : "s", path);
  return problems.empty() ? kDone : kFailed;
}

}  // namespace netbatch
