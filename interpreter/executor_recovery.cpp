// The undo log of a run, and what a failure makes of the run: what is taken back, and run again one by one.
#include <algorithm>

#include "interpreter/executor.hpp"

namespace netbatch {

void Executor::begin_log() {
  logs_.emplace_back();
  recorder_.emplace(transport_, logs_.back(), stats_);
  written_ahead_ = 0;
  if (sink_ != nullptr) sink_->restart();
}

// The entries of the log from `first` on are of a deletion, of what was there or not, in a run of which nothing is to
// remain. All statements that are done are taken back by the logs so far; a recovery runs the others.
void Executor::checkpoint(size_t first) {
  if (policy_ != Policy::Rollback) return;
  const std::span entries = std::span(logs_.back().entries).subspan(first);
  const bool any = std::any_of(entries.begin(), entries.end(), [](const UndoEntry& entry) {
    return entry.applied && (entry.kind == UndoKind::DeletedLink || entry.kind == UndoKind::DeletedNetns);
  });
  if (!any) return;
  ++log_number_;
  begin_log();
}

// Something failed. The state must become the one that running the statements one by one would have left.
void Executor::recover() {
  if (outcomes_->signal == 0 && !is_exact_end() && can_run_again()) {
    forget_all_names();
    outcomes_->not_restored = undo_.run(logs_.back(), sink_);
    logs_.pop_back();
    begin_log();
    run_all_plainly();
  }
  if (policy_ != Policy::Rollback || !stopped_) return;
  take_back(*outcomes_);
  for (uint32_t i = plan_->first; i < plan_->last; ++i) {
    if (outcomes_->of[i] != Outcome::Done) continue;
    outcomes_->of[i] = Outcome::RolledBack;
    ++outcomes_->undone;
  }
}

void Executor::take_back(Outcomes& outcomes) {
  forget_all_names();
  for (std::string& text : undo_.run(logs_, sink_)) outcomes.not_restored.push_back(std::move(text));
  outcomes.restored_all = undo_.complete();
  outcomes.rolled_back = true;
}

// Whether the failure that was found is the first one of the script, and, where they must stay, all statements before
// it are done and nothing of those after it was sent.
bool Executor::is_exact_end() const {
  const Failure& failure = outcomes_->failures.back();
  if (failure.outcome == Outcome::Lost || is_begun(failure.operation)) return false;
  for (uint32_t i = plan_->first; i < failure.operation; ++i) {
    if (outcomes_->of[i] != Outcome::Done && !std::binary_search(foreseen_.begin(), foreseen_.end(), i)) return false;
  }
  return policy_ == Policy::Rollback || highest_sent_ <= failure.operation;
}

// Whether no statement has been carried out in part by what is not taken back.
bool Executor::can_run_again() const {
  for (uint32_t i = plan_->first; i < plan_->last; ++i)
    if (begun_in_[i] < log_number_ && !stays_done(i)) return false;
  return true;
}

// In spite of taking the last log back.
bool Executor::stays_done(uint32_t index) const {
  return outcomes_->of[index] == Outcome::Done && done_in_[index] < log_number_;
}

// Those that the last log has taken back, and those that were not run.
void Executor::run_all_plainly() {
  std::erase_if(outcomes_->failures, [&](const Failure& failure) { return failure.operation >= plan_->first; });
  for (uint32_t i = plan_->first; i < plan_->last; ++i) {
    if (stays_done(i)) continue;
    if (outcomes_->of[i] == Outcome::Done) --done_count_;
    outcomes_->of[i] = Outcome::Pending;
    remaining_[i] = 1;
    begun_in_[i] = kNotBegun;
  }
  deletes_.begin(*operations_);
  stopped_ = false;
  foreseen_ = {};
  for (uint32_t i = plan_->first; i < plan_->last && !is_interrupted(); ++i) {
    if (stays_done(i)) continue;
    ++stats_.plain;
    run_single(nullptr, i);
    flush();
  }
}

// Reads the states that the noted operations will change, and writes ahead what undoes them; 0 or errno.
int Executor::record_ahead() {
  const int error = recorder_->read_states();
  return error != 0 ? error : write_ahead();
}

int Executor::write_ahead() {
  if (sink_ == nullptr) return 0;
  const size_t first = written_ahead_;
  written_ahead_ = logs_.back().entries.size();
  return sink_->write_ahead(logs_.back(), first);
}

}  // namespace netbatch
