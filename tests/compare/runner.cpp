#include "tests/compare/runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "tests/compare/dump.hpp"

namespace netbatch::compare {

namespace {

void check(bool success, const char* step) {
  if (!success) throw std::runtime_error(fmt::format("{}: {}", step, std::strerror(errno)));
}

void write_file(const char* path, const std::string& text) {
  const Fd file(open(path, O_WRONLY | O_CLOEXEC));
  check(write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()), path);
}

void enter_sandbox() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  check(unshare(CLONE_NEWNET | CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) == 0, "unshare");
  if (user != 0) {
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", fmt::format("0 {} 1", user));
    write_file("/proc/self/gid_map", fmt::format("0 {} 1", group));
  }
  check(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mount --make-rprivate /");
  check(mount("tmpfs", "/run", "tmpfs", 0, nullptr) == 0, "mount -t tmpfs /run");
  check(mkdir("/run/netns", 0755) == 0, "mkdir /run/netns");
}

nlohmann::json state_before(std::string_view prepare) {
  if (prepare.empty()) return {};
  const Fd input = memory_file(prepare);
  run_process({"ip", "-force", "-batch", "-"}, {.input = input.get()});
  return dump_namespaces();
}

nlohmann::json run_and_dump(const Tool& tool, std::string_view script, std::string_view prepare) {
  enter_sandbox();
  nlohmann::json before = state_before(prepare);
  const Fd file = memory_file(script);
  check(fcntl(file.get(), F_SETFD, 0) == 0, "fcntl");
  const Fd errors = memory_file("");
  std::vector<std::string> command = tool.command;
  std::replace(command.begin(), command.end(), std::string("{}"), fmt::format("/proc/self/fd/{}", file.get()));
  const int status = run_process(command, {.errors = errors.get()});
  return {{"status", status},
          {"errors", read_all(errors)},
          {"namespaces", dump_namespaces()},
          {"before", std::move(before)}};
}

[[noreturn]] void run_in_child(const Tool& tool, std::string_view script, std::string_view prepare, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string answer;
  try {
    answer = run_and_dump(tool, script, prepare).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } catch (const std::exception& error) {
    answer = nlohmann::json{{"problem", error.what()}}.dump();
  }
  size_t sent = 0;
  ssize_t size = 0;
  while (sent < answer.size() && (size = write(output, answer.data() + sent, answer.size() - sent)) > 0) {
    sent += static_cast<size_t>(size);
  }
  _exit(0);
}

}  // namespace

Run::Run(const Tool& tool, std::string_view script, std::string_view prepare) {
  int ends[2];
  check(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  output_ = Fd(ends[0]);
  const Fd input(ends[1]);
  child_ = fork();
  check(child_ >= 0, "fork");
  if (child_ == 0) run_in_child(tool, script, prepare, input.get());
}

Run::~Run() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

Outcome Run::finish() {
  std::string answer;
  char buffer[65536];
  ssize_t size = 0;
  while ((size = read(output_.get(), buffer, sizeof buffer)) > 0) answer.append(buffer, static_cast<size_t>(size));
  waitpid(std::exchange(child_, -1), nullptr, 0);
  const nlohmann::json parsed = nlohmann::json::parse(answer, nullptr, false);
  if (parsed.is_discarded()) throw std::runtime_error("the sandbox ended without an answer");
  if (parsed.contains("problem")) throw std::runtime_error(parsed["problem"].get<std::string>());
  return {parsed["status"], parsed["errors"], parsed["namespaces"], parsed["before"]};
}

std::string sandbox_problem() {
  try {
    Run({"true", {"true"}}, "").finish();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace netbatch::compare
