#include "runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "netlink/netns.hpp"
#include "requests.hpp"

namespace netbatch::bench {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string beginning_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  return text.substr(0, 400);
}

// Starts the program and waits for its end. Throws when it ends otherwise, with the beginning of what it said.
uint64_t run_program(const Command& command, int exit_status, const std::filesystem::path& said) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error(fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) throw std::runtime_error("wait4 failed");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != exit_status) {
    throw std::runtime_error(
        fmt::format("{} ended with status {:#x}: {}", fmt::join(command, " "), status, beginning_of(said)));
  }
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

std::vector<Command> commands_of(const Row& row, Subject subject, const Case& of) {
  if (subject == kIp) return row.ip(of);
  const std::string path = of.directory / kScriptName;
  row.script(of, path);
  if (subject == kFailing) std::ofstream(path, std::ios::app) << "link set nosuch up\n";
  Command command{of.netbatch, row.action};
  for (const std::string& word : kSubjectKinds[subject].words)
    command.push_back(fmt::format(fmt::runtime(word), of.directory.string()));
  command.push_back(path);
  return {command};
}

void time_commands(const std::vector<Command>& commands, int exit_status, const Row& row, const Case& of,
                   Sample& sample) {
  std::vector<double> times;
  for (int i = 0; i < row.repeats; ++i) {
    const Clock::time_point start = Clock::now();
    for (const Command& command : commands) {
      sample.peak_bytes = std::max(sample.peak_bytes, run_program(command, exit_status, of.directory / "stderr"));
    }
    times.push_back(since(start));
  }
  std::nth_element(times.begin(), times.begin() + row.repeats / 2, times.end());
  sample.seconds = times[static_cast<size_t>(row.repeats / 2)];
}

Sample run_here(const Row& row, Subject subject, const Case& of) {
  Sample sample;
  std::string what;
  if (const int error = netlink::enter_sandbox(&what); error != 0) {
    throw std::runtime_error(fmt::format("no sandbox: {}: {}", what, std::strerror(error)));
  }
  Requests lo;
  lo.set_up(1);
  netlink::Socket socket = open_socket();
  lo.send(socket);
  if (row.setup != nullptr) row.setup(of);
  if (subject == kFloor || subject == kLoop || subject == kLines) {
    const auto prepare = subject == kFloor ? row.floor : subject == kLoop ? row.loop : row.lines;
    const std::function<void()> work = prepare(of);
    const Clock::time_point start = Clock::now();
    work();
    sample.seconds = since(start);
  } else {
    time_commands(commands_of(row, subject, of), subject == kFailing ? 1 : 0, row, of, sample);
  }
  (subject == kFailing ? row.verify_failing : row.verify)(of);
  return sample;
}

// seconds, peak and failure, as the child tells them.
void write_sample(int fd, const Sample& sample) {
  const std::string text = fmt::format("{} {} {}", sample.seconds, sample.peak_bytes, sample.failure.substr(0, 2000));
  if (::write(fd, text.data(), text.size()) < 0) std::_Exit(EXIT_FAILURE);
}

Sample read_sample(int fd) {
  std::string text(4096, '\0');
  const ssize_t size = ::read(fd, text.data(), text.size());
  Sample sample;
  int used = 0;
  if (size <= 0 || std::sscanf(text.c_str(), "%lf %lu %n", &sample.seconds, &sample.peak_bytes, &used) < 2) {
    sample.failure = "the run died";
  } else {
    sample.failure = text.substr(static_cast<size_t>(used), static_cast<size_t>(size) - static_cast<size_t>(used));
  }
  return sample;
}

// The kernel removes dead namespaces in batches, one batch after the other. A veth of ours whose other end lies in a
// namespace that has just died goes when that namespace's batch is at work.
void await_one_batch() {
  netlink::Result<netlink::Descriptor> own = netlink::open_own_netns();
  if (!own) throw std::runtime_error("no own namespace");
  {
    netlink::Socket socket = open_socket();
    if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("cannot make a namespace");
    netlink::Result<netlink::Descriptor> doomed = netlink::open_own_netns();
    if (!doomed || ::setns(own->get(), CLONE_NEWNET) != 0) throw std::runtime_error("cannot leave a namespace");
    Requests requests;
    requests.add_veth({.name = "probe"}, {.name = "probe", .netns = doomed->get()}, false);
    requests.send(socket);
  }
  while (::if_nametoindex("probe") != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// The first probe may go in the batch that removes the run's namespaces; the second one's begins when that has ended.
void settle() {
  await_one_batch();
  await_one_batch();
}

}  // namespace

Sample run_isolated(const Row& row, Subject subject, const Case& of) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const netlink::Descriptor reading(ends[0]);
  netlink::Descriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an interrupted benchmark leaves nothing running
    Sample sample;
    try {
      sample = run_here(row, subject, of);
    } catch (const std::exception& error) {
      sample.failure = error.what();
    }
    write_sample(writing.get(), sample);
    std::_Exit(EXIT_SUCCESS);
  }
  writing = netlink::Descriptor();
  const Sample sample = read_sample(reading.get());
  ::waitpid(child, nullptr, 0);
  settle();
  return sample;
}

}  // namespace netbatch::bench
