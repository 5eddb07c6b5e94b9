#include "interpreter/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace netbatch {
namespace {

constexpr size_t kWidestBar = 40;
constexpr size_t kNarrowestBar = 5;

size_t columns_of(int descriptor) {
  constexpr size_t kUsual = 80;
  if (::isatty(descriptor) == 0) return 0;
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kUsual;
}

std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace

std::string progress_line(uint64_t done, uint64_t total, size_t columns) {
  constexpr size_t kBrackets = 3;  // and a blank
  done = std::min(done, total);
  const std::string numbers =
      fmt::format("{:3} %  {} of {}", total == 0 ? 100 : done * 100 / total, with_commas(done), with_commas(total));
  if (columns < numbers.size() + kBrackets + kNarrowestBar) return numbers.substr(0, columns);
  const size_t width = std::min(columns - numbers.size() - kBrackets, kWidestBar);
  const size_t full = total == 0 ? width : static_cast<size_t>(done * width / total);
  return fmt::format("[{}{}] {}", std::string(full, '#'), std::string(width - full, '-'), numbers);
}

// The last column stays free: a terminal may go to the next line when it is written.
Progress::Progress(int descriptor, uint64_t total, Clock::time_point now)
    : descriptor_(descriptor), total_(total), next_(now + kQuiet) {
  if (total != 0) columns_ = columns_of(descriptor);
  if (columns_ != 0) --columns_;
}

void Progress::show(uint64_t done, Clock::time_point now) {
  if (columns_ == 0 || now < next_) return;
  next_ = now + kPause;
  shown_ = true;
  write("\r" + progress_line(done, total_, columns_) + "\x1b[K");
}

void Progress::erase() {
  if (shown_) write("\r\x1b[K");
  shown_ = false;
  columns_ = 0;
}

// What cannot be written is not worth a failure.
void Progress::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, text.data(), text.size());
}

}  // namespace netbatch
