#include "interpreter/progress.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

using namespace netbatch;
using std::chrono::milliseconds;

namespace {

// A terminal, and what was written to it.
class Terminal {
 public:
  Terminal() : outside_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    REQUIRE(::grantpt(outside_) == 0);
    REQUIRE(::unlockpt(outside_) == 0);
    inside_ = ::open(::ptsname(outside_), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = 41, .ws_xpixel = 0, .ws_ypixel = 0};
    REQUIRE(::ioctl(outside_, TIOCSWINSZ, &size) == 0);
  }
  ~Terminal() {
    ::close(inside_);
    ::close(outside_);
  }
  int descriptor() const { return inside_; }
  std::string written() const {
    char text[4096];
    const ssize_t size = ::read(outside_, text, sizeof text);
    return size > 0 ? std::string(text, static_cast<size_t>(size)) : std::string();
  }

 private:
  int outside_;
  int inside_ = -1;
};

}  // namespace

TEST_CASE("progress: the line") {
  CHECK(progress_line(0, 4000, 100) == "[----------------------------------------]   0 %  0 of 4,000");
  CHECK(progress_line(2000, 4000, 100) == "[####################--------------------]  50 %  2,000 of 4,000");
  CHECK(progress_line(4000, 4000, 100) == "[########################################] 100 %  4,000 of 4,000");
  CHECK(progress_line(5000, 4000, 40) == "[################] 100 %  4,000 of 4,000");
  CHECK(progress_line(1234567, 4000000, 40) == "[##------]  30 %  1,234,567 of 4,000,000");
  CHECK(progress_line(1234567, 4000000, 36) == " 30 %  1,234,567 of 4,000,000");
  CHECK(progress_line(1234567, 4000000, 5) == " 30 %");
}

TEST_CASE("progress: after half a second, ten times a second, and gone at the end") {
  const Terminal terminal;
  const auto start = Progress::Clock::now();
  Progress progress(terminal.descriptor(), 1000, start);
  progress.show(100, start + milliseconds(499));
  CHECK(terminal.written() == "");
  progress.show(200, start + milliseconds(500));
  CHECK(terminal.written() == "\r[###---------------]  20 %  200 of 1,000\x1b[K");
  progress.show(300, start + milliseconds(599));
  CHECK(terminal.written() == "");
  progress.show(400, start + milliseconds(600));
  CHECK(terminal.written() == "\r[#######-----------]  40 %  400 of 1,000\x1b[K");
  progress.erase();
  CHECK(terminal.written() == "\r\x1b[K");
  progress.show(500, start + milliseconds(9000));
  progress.erase();
  CHECK(terminal.written() == "");
}

TEST_CASE("progress: a short run, and one that is not on a terminal, show nothing") {
  const Terminal terminal;
  {
    Progress progress(terminal.descriptor(), 1000);
    progress.show(1000);
  }
  CHECK(terminal.written() == "");
  int ends[2];
  REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  const auto start = Progress::Clock::now();
  Progress progress(ends[1], 1000, start);
  progress.show(100, start + milliseconds(5000));
  char text[16];
  CHECK(::read(ends[0], text, sizeof text) < 0);
  ::close(ends[0]);
  ::close(ends[1]);
}
