// `run --json`: how each operation of the script ended, one JSON object on a line, in the script's order, and a last
// one for the whole. Holds one piece of the script at a time: what a rollback may still take back is written at the
// end, from the script.
#pragma once

#include <chrono>
#include <cstdio>
#include <map>

#include "interpreter/executor.hpp"
#include "interpreter/program.hpp"

namespace netbatch {

class OutcomeLog {
 public:
  OutcomeLog(Program& program, Policy policy, std::FILE* file) : program_(program), policy_(policy), file_(file) {}

  // The next piece of the script, before it is settled.
  void begin(const Operations& operations);
  // Operation `number` of the piece has failed. `error`: errno, 0 where the kernel was not asked.
  void fail(uint32_t number, Outcome outcome, int error, const std::string& text, const std::string& message);
  // It is not run.
  void skip(uint32_t number);
  // What became of `operations.list[first, last)`, once the piece is settled.
  void account(const Operations& operations, uint32_t first, uint32_t last, const Outcomes& outcomes);
  // All that was done so far was taken back.
  void take_back();
  // The piece is over, or the run is in it.
  void end(const Operations& operations, bool goes_on);
  // The run is over.
  void finish(size_t not_restored);

 private:
  enum class State : uint8_t { Skipped, Done, RolledBack, Failed, Lost, Count };
  struct Mishap {
    int error = 0;
    std::string text;
    std::string message;
  };
  struct Piece {
    std::vector<State> states;  // by number
    std::vector<bool> touched;  // of what was left to do when the piece was settled
    std::map<uint32_t, Mishap> mishaps;
  };
  void settle_untouched(bool goes_on);
  void write(std::span<const Operation> list, const Operations& owner, const Piece& piece);
  void write_again();
  void write_rest();

  Program& program_;
  const Policy policy_;
  std::FILE* file_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Piece piece_;
  std::vector<Operation> list_;  // of the piece, as the script has them
  size_t earlier_ = 0;           // operations of earlier pieces that are done and not written yet …
  bool taken_back_ = false;      // … and are no more
  size_t counts_[static_cast<size_t>(State::Count)] = {};
};

}  // namespace netbatch
