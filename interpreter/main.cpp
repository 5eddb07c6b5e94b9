// The command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "interpreter/keep_memory.hpp"
#include "interpreter/print.hpp"
#include "interpreter/run.hpp"
#include "interpreter/save.hpp"

namespace {

using netbatch::Policy;
using netbatch::RunOptions;

void add_script(CLI::App& command, RunOptions& options, std::vector<std::string>& definitions) {
  command.add_option("FILE", options.file, "the script; - is standard input")->required();
  command.add_option("-D", definitions, "NAME=VALUE: give a variable its value, instead of the script's own")
      ->allow_extra_args(false);
}

bool read_definitions(const std::vector<std::string>& texts, RunOptions& options) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      std::cerr << "netbatch: -D needs NAME=VALUE, found '" << text << "'\n";
      return false;
    }
    options.definitions.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return true;
}

// What follows `--` is a program to run in the sandbox.
std::vector<std::string> cut_command(int& argc, char** argv) {
  char** const end = argv + argc;
  char** const marker = std::find(argv, end, std::string_view("--"));
  argc = static_cast<int>(marker - argv);
  return marker == end ? std::vector<std::string>() : std::vector<std::string>(marker + 1, end);
}

// What was printed must have arrived.
int end_output(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const char* reason = errno == 0 ? "" : strerrordesc_np(errno);
  netbatch::print(stderr, "netbatch: the standard output could not be written{}{}\n", *reason ? ": " : "", reason);
  return status == netbatch::kDone ? netbatch::kFailed : status;
}

}  // namespace

int main(int argc, char** argv) {
  netbatch::keep_freed_memory();
  CLI::App app{"netbatch: provision Linux network links from a script, in one pass"};
  app.require_subcommand(1);
  RunOptions options;
  options.command = cut_command(argc, argv);
  std::vector<std::string> definitions;
  bool no_plan = false;

  CLI::App* run = app.add_subcommand("run", "parse, plan and execute a script");
  add_script(*run, options, definitions);
  run->add_option("--on-error", options.executor.policy, "what a failure leaves: rollback, stop or continue")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Policy>{
              {"rollback", Policy::Rollback}, {"stop", Policy::Stop}, {"continue", Policy::Continue}},
          CLI::ignore_case));
  run->add_option("--window", options.executor.window, "requests per sendmsg (default: what the receive buffer holds)")
      ->check(CLI::Range(0, 1'000'000));
  run->add_flag("--no-plan", no_plan, "one request per statement, in script order");
  run->add_flag("--sandbox", options.sandbox, "run in new user, network and mount namespaces that vanish afterwards");
  CLI::Option* kept =
      run->add_option("--journal", options.journal, "write to this file how to take the run back, ahead of each step");
  run->add_flag("--sync", options.sync, "with --journal: wait for the disk at each step")->needs(kept);
  run->add_flag("--json", options.json, "one JSON object per operation: how it ended");
  run->add_flag("--stats", options.stats, "say what was sent and how long it took");
  run->footer("With --sandbox, `-- COMMAND [ARGUMENT...]` at the end runs a program in the sandbox after the script.");

  CLI::App* check = app.add_subcommand("check", "parse and check a script; needs no privilege");
  add_script(*check, options, definitions);

  std::string journal;
  CLI::App* undo = app.add_subcommand("undo", "take back what an interrupted run left, by its journal");
  undo->add_option("JOURNAL", journal, "the file that --journal wrote")->required();

  CLI::App* plan = app.add_subcommand("plan", "show what would be sent");
  add_script(*plan, options, definitions);
  plan->add_flag("--json", options.json, "one JSON object per operation");
  plan->add_flag("--no-plan", no_plan, "one request per statement, in script order");

  netbatch::SaveOptions saved;
  CLI::App* save = app.add_subcommand("save", "print the present state as a script");
  CLI::Option* netns = save->add_option("NETNS", saved.netns, "a namespace (default: the one that netbatch runs in)");
  save->add_flag("--all", saved.all, "that and every namespace in /run/netns")->excludes(netns);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : netbatch::kWrong;
  }
  if (!read_definitions(definitions, options)) return netbatch::kWrong;
  if (!options.command.empty() && !options.sandbox) {
    std::cerr << "netbatch: a command after '--' needs 'run --sandbox': it runs where the script ran\n";
    return netbatch::kWrong;
  }
  options.plan = !no_plan;
  auto command = [&] {
    if (*run) return netbatch::run_script(options);
    if (*undo) return netbatch::undo_journal(journal);
    if (*save) return netbatch::save_script(saved);
    if (*check) return netbatch::check_script(options);
    return netbatch::plan_script(options);
  };
  return end_output(command());
}
