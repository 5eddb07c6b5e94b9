#include "interpreter/executor.hpp"

#include <algorithm>
#include <cerrno>

namespace netbatch {
namespace {

constexpr size_t kBufferSize = 128 * 1024;  // below the default SO_SNDBUF of 212,992

bool changes_names(const Operation& operation, std::span<const Attr> attrs) {
  if (operation.object != Object::Link) return false;
  if (operation.verb != Verb::Set) return true;
  return std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) {
    return attr.row->option == Option::Name || attr.row->option == Option::Netns;
  });
}

}  // namespace

Executor::Executor(Transport& transport, const Namespaces& namespaces, const ExecutorOptions& options, Stats& stats,
                   UndoSink* sink)
    : transport_(transport),
      namespaces_(namespaces),
      options_(options),
      stats_(stats),
      sink_(sink),
      exchange_(transport, stats),
      buffer_(kBufferSize),
      policy_(options.policy),
      undo_(transport, namespaces, stats) {}

bool Executor::run(const Plan& plan, const Operations& operations, Outcomes& outcomes, bool all_or_nothing) {
  plan_ = &plan;
  operations_ = &operations;
  outcomes_ = &outcomes;
  outcomes.of.resize(operations.list.size(), Outcome::Pending);
  remaining_.assign(operations.list.size(), 0);
  for (const uint32_t source : plan.sources) ++remaining_[source];
  begun_in_.assign(operations.list.size(), kNotBegun);
  done_in_.assign(operations.list.size(), 0);
  deletes_.begin(operations);
  highest_sent_ = 0;
  policy_ = all_or_nothing ? Policy::Rollback : options_.policy;
  log_number_ = 0;
  foreseen_ = {};
  if (options_.policy != Policy::Rollback) logs_.clear();  // what earlier plans did stays
  if (records()) begin_log();
  run_plan();
  if (stopped_ && policy_ != Policy::Continue) recover();
  if (options_.policy != Policy::Rollback) transport_.let_netns_go();
  if (all_or_nothing && options_.policy == Policy::Continue && outcomes.signal == 0) stopped_ = false;
  std::stable_sort(outcomes.failures.begin(), outcomes.failures.end(),
                   [](const Failure& a, const Failure& b) { return a.operation < b.operation; });
  return !stopped_;
}

void Executor::run_plan() {
  for (const Group& group : plan_->groups) {
    const std::span requests(plan_->requests.data() + group.first_request, group.request_count);
    for (size_t i = 0; i < requests.size() && !is_interrupted();) {
      if (const size_t created = create_namespaces(requests.subspan(i)); created > 0) {
        i += created;
      } else {
        step(requests[i++]);
      }
    }
    flush();
  }
}

bool Executor::is_interrupted() {
  if (options_.signal != nullptr && *options_.signal != 0 && !stopped_) {
    outcomes_->signal = *options_.signal;
    stopped_ = true;
  }
  return stopped_;
}

void Executor::step(const Request& request) {
  // A statement that was run plainly after a failure is settled; a later request for a part of it has nothing to do.
  const auto sources = plan_->sources_of(request);
  if (std::all_of(sources.begin(), sources.end(), [&](uint32_t i) { return outcomes_->of[i] == Outcome::Failed; }))
    return;
  if (request.kind == RequestKind::DeleteGroup) return delete_group(request);
  if (request.kind == RequestKind::Fused) {
    append({.request = &request,
            .source = sources.front(),
            .last_source = sources.back(),
            .operation = &plan_->merged.list[request.operation],
            .owner = &plan_->merged});
  } else {
    run_single(&request, request.operation);
  }
}

// One statement as it is: as a part of the window where it is a message, at once where it is not.
void Executor::run_single(const Request* request, uint32_t index) {
  const Operation& operation = operations_->list[index];
  if (operation.object == Object::Netns) return netns_statement(index);
  if (operation.object == Object::Addr && operation.verb == Verb::Flush) return flush_addresses(index);
  const bool deletes = operation.object == Object::Link && operation.verb == Verb::Delete;
  if (deletes) deletes_.look_up(transport_, stats_);
  // A deletion cannot be taken back, so nothing before it may fail, and it may not fail before others. Nor may what
  // follows be sent before it is known to be done.
  if (deletes && records()) flush();
  const size_t first = log_size();
  if (operation.object == Object::Link && operation.verb == Verb::Add && needs_name(operation))
    return add_unnamed(request, index);
  append({.request = request, .source = index, .last_source = index, .operation = &operation, .owner = operations_});
  if (!deletes || !records()) return;
  flush();
  checkpoint(first);
}

void Executor::append(Pending pending) {
  const Operation& operation = *pending.operation;
  const bool apart = window_ns_ == operation.ns && !fused_uses_.touches(operation, *pending.owner);
  if (!window_.empty() && !apart) flush();
  if (stopped_) return;
  if (auto netns = transport_.identity(operation.ns); !netns)
    return refuse(pending, {EncodeError::What::NoNetns, netns.error(), operation.span, {}, operation.ns});
  window_ns_ = operation.ns;
  for (;;) {
    used_cache_.clear();
    const EncodeError error = encode(operation, *pending.owner, *this,
                                     {.sequence = exchange_.last_sequence() + 1, .marks = nullptr}, buffer_);
    if (!error) break;
    const bool may_help = !window_.empty() && (error.error == EAGAIN || error.what == EncodeError::What::TooLong);
    if (!may_help) return refuse(pending, error);
    flush();
    if (stopped_) return;
  }
  exchange_.next_sequence();
  window_changes_names_ |= changes_names(operation, pending.owner->of(operation.attrs));
  forget_names(operation, *pending.owner);
  if (records()) pending.undo = recorder_->note(operation, *pending.owner);
  pending.cached = std::move(used_cache_);
  if (policy_ == Policy::Continue && !pending.is_exact()) note_uses(pending);
  window_.push_back(std::move(pending));
  if (window_full()) flush();
}

void Executor::note_uses(const Pending& pending) {
  fused_uses_.add(*pending.operation, *pending.owner);
  for (const AbsentName& name : plan_->absent_of(*pending.request)) fused_uses_.add_written(name.ns, name.name);
}

bool Executor::window_full() {
  if (window_limit_ns_ != window_ns_ || window_limit_ == 0) {
    auto limit = transport_.window(window_ns_);
    window_limit_ = std::max<size_t>(1, limit ? *limit : 1);
    if (options_.window != 0) window_limit_ = std::min(window_limit_, options_.window);
    window_limit_ns_ = window_ns_;
  }
  return window_.size() >= window_limit_;
}

// Sends the window and settles each of its requests.
void Executor::flush() {
  if (window_.empty()) return;
  std::vector<Pending> window = std::move(window_);
  window_.clear();
  fused_uses_.clear();
  const bool sends = names_are_absent(window) && record(window);
  if (sends) transmit(window);
  buffer_.clear();
  window_changes_names_ = false;
  transport_.release();
  for (Pending& pending : window) {
    if (sends || pending.refused) {
      if (!sends) flush();
      settle(pending);
    } else {
      append(std::move(pending));
    }
  }
  if (!sends) flush();
  show_progress();
}

// Reads the states that the window will change, and writes ahead what undoes it. False when that failed: then nothing
// is sent.
bool Executor::record(std::vector<Pending>& window) {
  if (!records()) return true;
  const int error = record_ahead();
  if (error == 0) return true;
  window.front().refused = true;
  window.front().answer = {Answer::State::Answered, error, 0, "the state before could not be recorded"};
  for (Pending& pending : window) recorder_->settle(pending.undo, false);
  window.resize(1);
  return false;
}

void Executor::transmit(std::vector<Pending>& window) {
  std::vector<Answer> answers(window.size());
  exchange_.run(window_ns_, buffer_, answers);
  for (size_t i = 0; i < window.size(); ++i) {
    highest_sent_ = std::max(highest_sent_, window[i].last_source);
    window[i].answer = std::move(answers[i]);
    if (records())
      recorder_->settle(window[i].undo, window[i].answer.error == 0 || window[i].answer.state == Answer::State::Lost);
  }
}

void Executor::settle(Pending& pending) {
  if (pending.answer.succeeded()) return done(pending);
  if (stopped_) return;
  const bool lost = pending.answer.state == Answer::State::Lost;
  if (!lost && pending.answer.error == ENODEV && retry_stale(pending)) return;
  if (!pending.is_exact() && !lost && is_open(*pending.request))
    return run_plainly(plan_->sources_of(*pending.request));
  if (pending.answer.error == ENODEV && deletes_.tolerates(pending.source, *outcomes_)) return done(pending);
  Failure failure;
  failure.operation = pending.source;
  failure.outcome = lost ? Outcome::Lost : Outcome::Failed;
  failure.error = pending.answer.error;
  failure.text = std::move(pending.answer.text);
  failure.span = operand_at(pending);
  if (!pending.is_exact()) mark_all(*pending.request, failure.outcome);
  fail(std::move(failure));
}

// The statements of a request that cannot be run one by one, as another request has done a part of them, or this one's
// answer is lost.
void Executor::mark_all(const Request& request, Outcome outcome) {
  for (const uint32_t index : plan_->sources_of(request))
    if (outcomes_->of[index] == Outcome::Pending) outcomes_->of[index] = outcome;
}

void Executor::refuse(Pending& pending, const EncodeError& error) {
  flush();
  if (stopped_) return;
  if (!pending.is_exact() && is_open(*pending.request)) return run_plainly(plan_->sources_of(*pending.request));
  Failure failure;
  failure.operation = pending.source;
  failure.error = error.error;
  failure.span = error.span;
  failure.encode = error;
  fail(std::move(failure));
}

// An index from the cache may not be the link's any more: other programs change links too. Then it is asked for, and
// tried, again, once: what came after it in the window has been done by now.
bool Executor::retry_stale(Pending& pending) {
  if (pending.retried || pending.cached.empty()) return false;
  cache_.drop_all();
  bool stale = false;
  for (const CachedIndex& cached : pending.cached) {
    const auto now = link(cached.ns, cached.name);
    stale = stale || !now || *now != cached.index;
  }
  if (!stale) return false;
  pending.retried = true;
  append(std::move(pending));
  flush();
  return true;
}

// Whether its statements can be run one by one: none of them is done in part.
bool Executor::is_open(const Request& request) const {
  const auto sources = plan_->sources_of(request);
  return std::none_of(sources.begin(), sources.end(), [&](uint32_t i) { return is_begun(i); });
}

// The statements of a request that failed, one by one: which of them fails, and why.
void Executor::run_plainly(std::span<const uint32_t> sources) {
  for (const uint32_t index : sources) {
    if (stopped_) return;
    if (outcomes_->of[index] != Outcome::Pending) continue;
    ++stats_.plain;
    run_single(nullptr, index);
    flush();
  }
}

void Executor::done(const Pending& pending) {
  if (pending.request == nullptr) {
    remaining_[pending.source] = 1;  // all of the statement
    return done(pending.source);
  }
  for (const uint32_t index : plan_->sources_of(*pending.request)) done(index);
}

// One of the requests that carry out the statement is done.
void Executor::done(uint32_t index) {
  if (remaining_[index] > 0) --remaining_[index];
  if (!is_begun(index)) begun_in_[index] = log_number_;
  if (remaining_[index] != 0 || outcomes_->of[index] != Outcome::Pending) return;
  outcomes_->of[index] = Outcome::Done;
  done_in_[index] = log_number_;
  ++done_count_;
}

void Executor::fail(Failure failure) {
  outcomes_->of[failure.operation] = failure.outcome;
  outcomes_->failures.push_back(std::move(failure));
  if (policy_ != Policy::Continue) stopped_ = true;
}

void Executor::fail(uint32_t index, int error, Span span, std::string text) {
  Failure failure;
  failure.operation = index;
  failure.error = error;
  failure.span = span;
  failure.text = std::move(text);
  fail(std::move(failure));
}

}  // namespace netbatch
