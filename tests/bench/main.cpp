// netbatch-bench: ip -batch, netbatch and the cheapest known request streams, side by side in one run. Each run has a
// sandbox of its own, and its result is verified: a wrong one fails the benchmark.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "goals.hpp"
#include "netlink/netns.hpp"
#include "row.hpp"
#include "runner.hpp"

namespace {

using namespace netbatch::bench;

constexpr int kSkipped = 77;  // there can be no sandbox here

struct Options {
  std::string ip = "/sbin/ip";
  std::string netbatch = "./netbatch";
  int runs = 5;
  std::vector<std::string> rows;
  bool quick = false;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A directory of the harness's own, removed at the end.
class WorkDirectory {
 public:
  WorkDirectory() {
    std::string path = (std::filesystem::temp_directory_path() / "netbatch-bench-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make a directory " + path);
    path_ = path;
  }
  ~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

bool takes_part(const Row& row, Subject subject, const Options& options) {
  if ((row.subjects & mask(subject)) == 0) return false;
  return !kSubjectKinds[subject].is_netbatch || !options.netbatch.empty();
}

// The subjects take turns, so that a change of the machine's mood hits all. False when a run failed.
bool measure(const Row& row, const Options& options, const std::filesystem::path& directory, Result& result) {
  const Size size = options.quick ? row.quick : row.full;
  result.total = size.total;
  std::vector<double> times[kSubjects];
  bool failed[kSubjects] = {};
  for (int run = 0; run < options.runs; ++run) {
    for (unsigned number = 0; number < kSubjects; ++number) {
      const auto subject = static_cast<Subject>(number);
      if (failed[subject] || !takes_part(row, subject, options)) continue;
      const bool slow = size.slow != 0 && (subject == kIp || subject == kNoPlan);
      const size_t units = result.measured_units[subject] = slow ? size.slow : size.total;
      const Sample sample = run_isolated(row, subject, {size.total, units, directory, options.ip, options.netbatch});
      if (!sample.failure.empty()) {
        std::cerr << fmt::format("{}: {}: run {}: {}\n", row.name, kSubjectKinds[subject].name, run + 1,
                                 sample.failure);
        failed[subject] = true;
        times[subject].clear();
        continue;
      }
      times[subject].push_back(sample.seconds * static_cast<double>(size.total) / static_cast<double>(units));
      if (subject == kPlanned) result.peak_bytes = std::max(result.peak_bytes, sample.peak_bytes);
    }
  }
  for (unsigned subject = 0; subject < kSubjects; ++subject) {
    if (!times[subject].empty()) result.seconds[subject] = median(times[subject]);
  }
  return std::none_of(std::begin(failed), std::end(failed), [](bool one) { return one; });
}

bool chosen(const Row& row, const Options& options) {
  return options.rows.empty() || std::find(options.rows.begin(), options.rows.end(), row.name) != options.rows.end();
}

int run_all(const Options& options) {
  const WorkDirectory directory;
  Results results;
  bool good = true;
  print_header();
  for (const Row& row : kRows) {
    if (!chosen(row, options)) continue;
    good = measure(row, options, directory.path(), results[row.name]) && good;
    print_row(row, results[row.name]);
  }
  if (!options.quick) print_goals(results);
  double load = 0;
  if (::getloadavg(&load, 1) == 1 && load > 1.5) {
    fmt::print("\nThe load average is {:.1f}: other programs were at work, which falsifies the figures.\n", load);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

void add_options(CLI::App& app, Options& options) {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  app.add_option("--netbatch", options.netbatch, "the netbatch to measure; its columns stay empty without one");
  app.add_option("--ip", options.ip, "iproute2's ip")->check(CLI::ExistingFile);
  app.add_option("--runs", options.runs, "runs of each; the figure is their median")->check(CLI::Range(1, 99));
  app.add_option("--row", options.rows, "only these rows")->check(CLI::IsMember(names));
  app.add_flag("--quick", options.quick, "small sizes: shows that all works, measures nothing");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures netbatch beside ip -batch and the cheapest known streams of requests"};
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (!std::filesystem::exists(options.netbatch)) {
    std::cerr << fmt::format("no netbatch at {}: measuring without it\n", options.netbatch);
    options.netbatch.clear();
  }
  std::string what;
  if (const int error = netbatch::netlink::enter_sandbox(&what); error != 0) {
    std::cerr << fmt::format("skipped, no sandbox here: {}: {}\n", what, std::strerror(error));
    return kSkipped;
  }
  try {
    return run_all(options);
  } catch (const std::exception& error) {
    std::cerr << fmt::format("netbatch-bench: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
