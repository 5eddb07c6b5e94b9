// How far a run has come, as one line on a terminal that is written over and over, and is gone at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace netbatch {

// `[######------]  50 %  2,000 of 4,000`, in at most `columns` columns; without the bar where there is no room.
std::string progress_line(uint64_t done, uint64_t total, size_t columns);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  // A run that is shorter shows nothing; then the line changes at most so often.
  static constexpr std::chrono::milliseconds kQuiet{500};
  static constexpr std::chrono::milliseconds kPause{100};

  // `descriptor`: written to if it is a terminal. `total`: operations; 0: there is nothing to show.
  Progress(int descriptor, uint64_t total, Clock::time_point now = Clock::now());
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough for each window of requests.
  void show(uint64_t done) {
    if (columns_ != 0) show(done, Clock::now());
  }
  void show(uint64_t done, Clock::time_point now);
  // Takes the line away, for other messages; nothing is shown after that.
  void erase();

 private:
  void write(const std::string& text) const;

  int descriptor_;
  uint64_t total_;
  size_t columns_ = 0;  // of the terminal; 0: nothing is shown
  Clock::time_point next_;
  bool shown_ = false;
};

}  // namespace netbatch
