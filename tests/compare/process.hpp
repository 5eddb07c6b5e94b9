// Child processes and the files they read and write.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netbatch::compare {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// A file in memory that holds `content`, to be read from its beginning.
Fd memory_file(std::string_view content);

// The whole file from its beginning, wherever its position is.
std::string read_all(const Fd& file);

struct Streams {
  int input = -1;  // -1: /dev/null
  int output = -1;
  int errors = -1;
  int netns = -1;  // the process is started in this network namespace; -1: the caller's
};

// Runs the program and waits for it. The exit status; 127 when it cannot be started, 128 + the signal that ended it.
// A program that runs for more than a minute is ended by SIGALRM.
int run_process(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace netbatch::compare
