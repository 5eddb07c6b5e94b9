#include "tests/compare/process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <stdexcept>

namespace netbatch::compare {

namespace {

constexpr unsigned kTimeLimitSeconds = 60;

[[noreturn]] void become(const std::vector<std::string>& arguments, const Streams& streams) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int chosen[] = {streams.input, streams.output, streams.errors};
  for (int target = 0; target < 3; ++target) dup2(chosen[target] >= 0 ? chosen[target] : null, target);
  if (streams.netns >= 0 && setns(streams.netns, CLONE_NEWNET) != 0) _exit(127);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  alarm(kTimeLimitSeconds);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Fd memory_file(std::string_view content) {
  Fd file(memfd_create("compare", MFD_CLOEXEC));
  if (file.get() < 0 || write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    throw std::runtime_error("no memory file");
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string read_all(const Fd& file) {
  std::string content;
  char buffer[65536];
  ssize_t size = 0;
  while ((size = pread(file.get(), buffer, sizeof buffer, static_cast<off_t>(content.size()))) > 0) {
    content.append(buffer, static_cast<size_t>(size));
  }
  return content;
}

int run_process(const std::vector<std::string>& arguments, const Streams& streams) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(arguments, streams);
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait for " + arguments[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace netbatch::compare
