#include "interpreter/executor.hpp"

#include <algorithm>
#include <cerrno>

#include "interpreter/kinds.hpp"

namespace netbatch {
namespace {

constexpr size_t kBufferSize = 128 * 1024;  // below the default SO_SNDBUF of 212,992
constexpr size_t kReplySize = 64 * 1024;

bool changes_names(const Operation& operation, std::span<const Attr> attrs) {
  if (operation.object != Object::Link) return false;
  if (operation.verb != Verb::Set) return true;
  return std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) {
    return attr.row->option == Option::Name || attr.row->option == Option::Netns;
  });
}

}  // namespace

Executor::Executor(Transport& transport, const Namespaces& namespaces, const ExecutorOptions& options, Stats& stats)
    : transport_(transport),
      namespaces_(namespaces),
      options_(options),
      stats_(stats),
      buffer_(kBufferSize),
      replies_(kReplySize) {}

bool Executor::run(const Plan& plan, const Operations& operations, Outcomes& outcomes) {
  plan_ = &plan;
  operations_ = &operations;
  outcomes_ = &outcomes;
  outcomes.of.assign(operations.list.size(), Outcome::Pending);
  deletes_.begin(operations);
  for (const Group& group : plan.groups) {
    for (uint32_t i = 0; i < group.request_count && !stopped_; ++i) step(plan.requests[group.first_request + i]);
    flush();
  }
  std::stable_sort(outcomes.failures.begin(), outcomes.failures.end(),
                   [](const Failure& a, const Failure& b) { return a.operation < b.operation; });
  return !stopped_;
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
  if (operation.object == Object::Link && operation.verb == Verb::Delete) deletes_.look_up(transport_, stats_);
  if (operation.object == Object::Link && operation.verb == Verb::Add && needs_name(operation))
    return add_unnamed(request, index);
  append({.request = request, .source = index, .operation = &operation, .owner = operations_});
}

void Executor::append(Pending pending) {
  const Operation& operation = *pending.operation;
  if (!window_.empty() && window_ns_ != operation.ns) flush();
  if (stopped_) return;
  window_ns_ = operation.ns;
  for (;;) {
    used_cache_ = false;
    const EncodeError error =
        encode(operation, *pending.owner, *this, {.sequence = sequence_ + 1, .marks = nullptr}, buffer_);
    if (!error) break;
    const bool may_help = !window_.empty() && (error.error == EAGAIN || error.what == EncodeError::What::TooLong);
    if (!may_help) return refuse(pending, error);
    flush();
    if (stopped_) return;
  }
  if (window_.empty()) window_first_ = sequence_ + 1;
  ++sequence_;
  window_changes_names_ |= changes_names(operation, pending.owner->of(operation.attrs));
  forget_names(operation, *pending.owner);
  pending.cached = used_cache_;
  window_.push_back(std::move(pending));
  if (window_full()) flush();
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
  const bool sends = names_are_absent(window);
  if (sends) transmit(window);
  buffer_.clear();
  window_changes_names_ = false;
  transport_.release();
  for (Pending& pending : window) {
    if (pending.state == Pending::State::Unsent) {
      append(std::move(pending));
    } else {
      if (!sends) flush();
      settle(pending);
    }
  }
  if (!sends) flush();
}

void Executor::transmit(std::vector<Pending>& window) {
  buffer_.add_flags_to_last(NLM_F_ACK);
  ++stats_.sends;
  stats_.requests += window.size();
  for (Pending& pending : window) pending.state = Pending::State::Silent;
  if (const int error = transport_.send(window_ns_, buffer_.bytes()); error != 0) {
    for (Pending& pending : window) pending.error = error, pending.state = Pending::State::Answered;
    return;
  }
  collect(window);
}

// The window's last request is the only one whose success is answered: when its reply is there, so are all the others,
// and a request without one has succeeded.
void Executor::collect(std::vector<Pending>& window) {
  while (window.back().state != Pending::State::Answered) {
    auto size = transport_.receive(window_ns_, replies_);
    if (!size) {
      for (Pending& pending : window)
        if (pending.state == Pending::State::Silent) pending.state = Pending::State::Lost, pending.error = size.error();
      return;
    }
    netlink::ReplyReader reader(std::span<const std::byte>(replies_).first(*size));
    netlink::Reply reply;
    netlink::Ack ack;
    while (reader.next(reply))
      if (netlink::decode_ack(reply, ack)) account(ack, window);
  }
  for (Pending& pending : window) pending.state = Pending::State::Answered;
}

void Executor::account(const netlink::Ack& ack, std::vector<Pending>& window) {
  const uint32_t place = ack.sequence - window_first_;
  if (place >= window.size() || window[place].state == Pending::State::Answered) {
    ++stats_.unexpected;
    return;
  }
  ++stats_.acks;
  Pending& pending = window[place];
  pending.state = Pending::State::Answered;
  pending.error = ack.error;
  pending.offset = ack.offset;
  if (ack.error != 0) pending.text = ack.message;
}

void Executor::settle(Pending& pending) {
  if (pending.state == Pending::State::Answered && pending.error == 0) return done(pending);
  if (stopped_) return;
  if (pending.state == Pending::State::Answered && pending.error == ENODEV && retry_stale(pending)) return;
  if (!pending.is_exact() && pending.state == Pending::State::Answered && is_open(*pending.request))
    return run_plainly(*pending.request);
  if (pending.error == ENODEV && deletes_.tolerates(pending.source, *outcomes_)) return done(pending);
  Failure failure;
  failure.operation = pending.source;
  failure.outcome = pending.state == Pending::State::Lost ? Outcome::Lost : Outcome::Failed;
  failure.error = pending.error;
  failure.text = std::move(pending.text);
  failure.span = operand_at(pending);
  fail(std::move(failure));
}

void Executor::refuse(Pending& pending, const EncodeError& error) {
  flush();
  if (stopped_) return;
  if (!pending.is_exact() && is_open(*pending.request)) return run_plainly(*pending.request);
  Failure failure;
  failure.operation = pending.source;
  failure.error = error.error;
  failure.span = error.span;
  failure.encode = error;
  fail(std::move(failure));
}

// An index from the cache that the kernel does not know any more: other programs change links too. Once.
bool Executor::retry_stale(Pending& pending) {
  if (pending.retried || !pending.cached) return false;
  cache_.drop_all();
  pending.retried = true;
  append(std::move(pending));
  flush();
  return true;
}

// Whether one of its statements has no outcome yet. When another request has carried out the rest of them all, a
// failure of this one is theirs.
bool Executor::is_open(const Request& request) const {
  const auto sources = plan_->sources_of(request);
  return std::any_of(sources.begin(), sources.end(), [&](uint32_t i) { return outcomes_->of[i] == Outcome::Pending; });
}

// The statements of a request that failed, one by one: which of them fails, and why.
void Executor::run_plainly(const Request& request) {
  for (const uint32_t index : plan_->sources_of(request)) {
    if (stopped_) return;
    if (outcomes_->of[index] != Outcome::Pending) continue;
    ++stats_.plain;
    run_single(nullptr, index);
    flush();
  }
}

void Executor::done(const Pending& pending) {
  auto mark = [&](uint32_t index) {
    if (outcomes_->of[index] == Outcome::Pending) outcomes_->of[index] = Outcome::Done;
  };
  if (pending.request == nullptr) return mark(pending.source);
  for (const uint32_t index : plan_->sources_of(*pending.request)) mark(index);
}

void Executor::fail(Failure failure) {
  outcomes_->of[failure.operation] = failure.outcome;
  outcomes_->failures.push_back(std::move(failure));
  if (options_.policy == Policy::Stop) stopped_ = true;
}

// Names that the statements would have used for a moment must be free, as they would have had to be. False when one is
// not: then nothing of the window was sent, and the requests at fault are marked.
bool Executor::names_are_absent(std::vector<Pending>& window) {
  std::vector<std::string_view> names;
  std::vector<Pending*> owners;
  std::vector<LinkInfo> found;
  bool absent = true;
  NsId ns = 0;
  auto probe = [&] {
    stats_.lookups += names.size();
    if (!names.empty() && transport_.find_links(ns, names, found) == 0) {
      for (size_t i = 0; i < names.size(); ++i) {
        if (found[i].index == 0) continue;
        owners[i]->state = Pending::State::Answered;
        owners[i]->error = EEXIST;
        absent = false;
      }
    }
    names.clear();
    owners.clear();
  };
  for (Pending& pending : window) {
    if (pending.request == nullptr) continue;
    for (const AbsentName& name : plan_->absent_of(*pending.request)) {
      if (name.ns != ns) probe();
      ns = name.ns;
      names.push_back(name.name);
      owners.push_back(&pending);
    }
  }
  probe();
  return absent;
}

// What the operation may change the meaning of: DESIGN section 3, "Names".
void Executor::forget_names(const Operation& operation, const Operations& owner) {
  if (operation.object != Object::Link) return;
  auto drop = [&](NsId ns, std::string_view name) {
    if (auto identity = transport_.identity(ns)) cache_.drop(*identity, name);
  };
  auto drop_all = [&](std::span<const Attr> attrs, NsId ns, std::string_view name) {
    for (const Attr& attr : attrs)
      if (attr.row->option == Option::Netns) ns = static_cast<NsId>(attr.value.number);
    drop(ns, name);
  };
  const auto attrs = owner.of(operation.attrs);
  if (operation.verb == Verb::Add || operation.verb == Verb::Replace) {
    drop_all(attrs, operation.ns, operation.name);
    if (operation.has_peer) drop_all(owner.of(operation.peer_attrs), operation.ns, operation.peer_name);
    return;
  }
  const bool moves =
      std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) { return attr.row->option == Option::Netns; });
  if (operation.verb != Verb::Set || moves) return cache_.drop_all();
  for (const Attr& attr : attrs) {
    if (attr.row->option != Option::Name) continue;
    drop(operation.ns, operation.name);
    drop(operation.ns, attr.value.text());
  }
}

netlink::Result<int> Executor::link(NsId ns, std::string_view name) {
  using Index = netlink::Result<int>;
  auto identity = transport_.identity(ns);
  if (!identity) return Index::failure(identity.error());
  if (const int index = cache_.find(*identity, name); index != 0) {
    used_cache_ = true;
    return index;
  }
  if (window_changes_names_) return Index::failure(EAGAIN);  // the name may be in the window
  ++stats_.lookups;
  auto index = transport_.link_index(ns, name);
  if (index) cache_.insert(*identity, name, *index);
  return index;
}

netlink::Result<int> Executor::netns(NsId ns, int* pid) { return transport_.netns(ns, pid); }

Span Executor::operand_at(const Pending& pending) {
  const Span statement = operations_->list[pending.source].span;
  if (pending.offset == 0) return statement;
  std::vector<Mark> marks;
  netlink::MessageBuffer scratch(buffer_.capacity());
  if (encode(*pending.operation, *pending.owner, *this, {.sequence = 0, .marks = &marks}, scratch)) return statement;
  Span span = statement;
  size_t smallest = SIZE_MAX;
  for (const Mark& mark : marks) {
    if (pending.offset < mark.begin || pending.offset >= mark.end || mark.end - mark.begin >= smallest) continue;
    smallest = mark.end - mark.begin;
    span = mark.span;
  }
  return span;
}

}  // namespace netbatch
