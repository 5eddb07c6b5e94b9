#include "interpreter/outcome_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interpreter/json_line.hpp"
#include "interpreter/plan.hpp"
#include "interpreter/print.hpp"
#include "interpreter/provision.hpp"
#include "interpreter/sentences.hpp"

namespace netbatch {
namespace {

// By OutcomeLog::State.
constexpr std::string_view kWords[] = {"skipped", "done", "rolled back", "failed", "lost"};

}  // namespace

void OutcomeLog::begin(const Operations& operations) {
  if (policy_ == Policy::Rollback)
    earlier_ += piece_.states.size();
  else
    list_ = operations.list;
  const size_t size = operations.list.size();
  piece_ = {std::vector<State>(size, State::Skipped), std::vector<bool>(size), {}};
}

void OutcomeLog::fail(uint32_t number, Outcome outcome, int error, const std::string& text,
                      const std::string& message) {
  piece_.states[number] = outcome == Outcome::Lost ? State::Lost : State::Failed;
  piece_.touched[number] = true;
  piece_.mishaps.try_emplace(number, Mishap{error, text, message});
}

void OutcomeLog::skip(uint32_t number) { piece_.touched[number] = true; }

// Of several operations that one has become when it was settled, the worst counts.
void OutcomeLog::account(const Operations& operations, uint32_t first, uint32_t last, const Outcomes& outcomes) {
  constexpr State kStates[] = {State::Skipped, State::Done, State::Failed, State::Lost, State::RolledBack};
  for (uint32_t i = first; i < last; ++i) {
    const uint32_t number = operations.list[i].number;
    const State state = kStates[static_cast<size_t>(outcomes.of[i])];
    State& known = piece_.states[number];
    const bool incomplete = state == State::Skipped && known == State::Done;
    if (!piece_.touched[number] || incomplete || state > known) known = state;
    piece_.touched[number] = true;
  }
}

void OutcomeLog::take_back() {
  taken_back_ = true;
  std::ranges::replace(piece_.states, State::Done, State::RolledBack);
}

// `ensure` of what is so already is done as far as the run came.
void OutcomeLog::settle_untouched(bool goes_on) {
  const State state = taken_back_ ? State::RolledBack : State::Done;
  for (size_t i = 0; i < piece_.states.size(); ++i) {
    if (!piece_.touched[i])
      piece_.states[i] = state;
    else if (!goes_on && piece_.states[i] != state)
      return;
  }
}

void OutcomeLog::end(const Operations& operations, bool goes_on) {
  settle_untouched(goes_on);
  if (policy_ != Policy::Rollback) write(list_, operations, piece_);
}

void OutcomeLog::write(std::span<const Operation> list, const Operations& owner, const Piece& piece) {
  for (uint32_t i = 0; i < list.size(); ++i) {
    const Operation& op = list[i];
    const auto state = static_cast<size_t>(piece.states[i]);
    ++counts_[state];
    Json object = json_at(program_.sources, op.span);
    object.update({{"object", word_of(op.object)},
                   {"verb", word_of(op.verb)},
                   {"name", op.name},
                   {"netns", program_.namespaces.name(op.ns)},
                   {"operation", to_string(op, owner, program_.namespaces)},
                   {"outcome", kWords[state]}});
    if (const auto mishap = piece.mishaps.find(i); mishap != piece.mishaps.end()) {
      const auto& [error, text, message] = mishap->second;
      if (error != 0) object.push_back({"errno", errno_name(error)});
      if (error != 0) object.push_back({"kernel", text.empty() ? strerrordesc_np(error) : text});
      object.push_back({"message", message});
    }
    print(file_, "{}", json_line(object));
  }
}

// All that was run, from the first statement.
void OutcomeLog::write_again() {
  program_.rewind();
  Operations operations;
  for (size_t at = 0; at < earlier_ + piece_.states.size(); at += operations.list.size()) {
    operations.clear();
    program_.next(operations, Provision::kPiece);
    if (operations.list.empty()) return;
    const State state = taken_back_ ? State::RolledBack : State::Done;
    write(operations.list, operations,
          at < earlier_ ? Piece{std::vector<State>(operations.list.size(), state), {}, {}} : piece_);
  }
}

void OutcomeLog::write_rest() {
  Operations operations;
  for (;;) {
    operations.clear();
    program_.next(operations, Provision::kPiece);
    if (operations.list.empty()) return;
    write(operations.list, operations, {std::vector<State>(operations.list.size(), State::Skipped), {}, {}});
  }
}

void OutcomeLog::finish(size_t not_restored) {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
  if (policy_ == Policy::Rollback) write_again();
  write_rest();
  auto count = [&](State state) { return counts_[static_cast<size_t>(state)]; };
  size_t all = 0;
  for (const size_t each : counts_) all += each;
  const Json whole{{"operations", all},
                   {"done", count(State::Done)},
                   {"failed", count(State::Failed) + count(State::Lost)},
                   {"skipped", count(State::Skipped)},
                   {"rolled_back", count(State::RolledBack)},
                   {"not_restored", not_restored},
                   {"seconds", time.count()}};
  print(file_, "{}", json_line(whole));
}

}  // namespace netbatch
