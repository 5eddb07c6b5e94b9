#include "interpreter/provision.hpp"

#include <fmt/format.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

#include "interpreter/planner.hpp"
#include "interpreter/print.hpp"
#include "interpreter/report.hpp"
#include "interpreter/settle.hpp"

namespace netbatch {
namespace {

// Failures that are shown; the rest are counted.
constexpr size_t kMostShown = 20;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const char* plural(size_t count) { return count == 1 ? "" : "s"; }

}  // namespace

std::vector<NsId> same_namespaces(const Namespaces& namespaces, Transport& transport) {
  std::vector<NsId> same(namespaces.size());
  std::vector<NsId> first_of;  // by identity
  for (NsId ns = 0; ns < namespaces.size(); ++ns) {
    same[ns] = ns;
    auto identity = transport.identity(ns);
    if (!identity) {  // it does not exist yet
      if (namespaces.may_be_pid(ns) && namespaces.find(namespaces.name(ns)) != 0)
        same[ns] = namespaces.find(namespaces.name(ns));
      continue;
    }
    if (first_of.size() <= *identity) first_of.resize(*identity + 1, UINT32_MAX);
    if (first_of[*identity] == UINT32_MAX) first_of[*identity] = ns;
    same[ns] = first_of[*identity];
  }
  return same;
}

Provision::Provision(Program& program, const ProvisionOptions& options, Stats& stats, Journal* journal)
    : program_(program),
      options_(options),
      stats_(stats),
      transport_(program.namespaces),
      executor_(transport_, program.namespaces, options.executor, stats, journal) {}

// A request about a link that does not exist: the kernel looks at the capability first.
int Provision::permission() {
  Stats unused;
  Exchange exchange(transport_, unused);
  netlink::MessageBuffer buffer(64);
  auto* header = static_cast<ifinfomsg*>(buffer.begin(RTM_SETLINK, 0, exchange.next_sequence(), sizeof(ifinfomsg)));
  header->ifi_index = INT_MAX;
  buffer.end();
  Answer answer;
  exchange.run(0, buffer, {&answer, 1});
  return answer.error == ENODEV || answer.error == EINVAL ? 0 : answer.error;
}

// Statements of one transaction or of none. Where what ran before a failure stays, deletions are planned by themselves:
// they cannot be taken back and run again.
bool Provision::belong_together(const Operation& a, const Operation& b) const {
  if (a.transaction != b.transaction) return false;
  auto deletes = [](const Operation& operation) {
    return operation.verb == Verb::Delete && (operation.object == Object::Link || operation.object == Object::Netns);
  };
  return a.transaction != 0 || options_.executor.policy != Policy::Stop || deletes(a) == deletes(b);
}

// What cannot be settled fails before anything is sent: what the policy lets run in spite of it remains in the list.
// False when nothing may follow.
bool Provision::settle_all(Operations& operations) {
  TransportReader reader(transport_, program_.namespaces);
  const std::vector<Unsettled> unsettled = settle(operations, program_.namespaces, reader);
  for (const Unsettled& each : unsettled) {
    if (++failure_count_ <= kMostShown) shown_.push_back({each.error, before_ + each.operation});
    if (options_.log != nullptr) options_.log->fail(each.operation, Outcome::Failed, 0, {}, each.error.message);
    // A transaction fails as a whole.
    if (each.transaction != 0)
      drop(operations, [&](const Operation& op) { return op.transaction == each.transaction; });
  }
  if (unsettled.empty() || options_.executor.policy == Policy::Continue) return true;
  const uint32_t first = unsettled.front().operation;
  const bool stops = options_.executor.policy == Policy::Stop;
  if (!stops) {
    Outcomes outcomes;
    executor_.take_back(outcomes);
    note_rollback(outcomes);
    note_not_restored(outcomes);
  }
  drop(operations, [&](const Operation& op) { return !stops || op.number >= first; });
  return false;
}

void Provision::drop(Operations& operations, const std::function<bool(const Operation&)>& is_dropped) {
  if (options_.log != nullptr)
    for (const Operation& op : operations.list)
      if (is_dropped(op)) options_.log->skip(op.number);
  std::erase_if(operations.list, is_dropped);
}

// Of the whole run, or of a transaction.
void Provision::note_rollback(const Outcomes& outcomes) {
  rolled_back_ = options_.executor.policy == Policy::Rollback;
  transactions_rolled_back_ = !rolled_back_;
  undone_ += outcomes.undone + (rolled_back_ ? done_ : 0);
  restored_all_ = restored_all_ && outcomes.restored_all;
  if (rolled_back_ && options_.log != nullptr) options_.log->take_back();
}

void Provision::note_not_restored(const Outcomes& outcomes) {
  not_restored_.insert(not_restored_.end(), outcomes.not_restored.begin(), outcomes.not_restored.end());
}

bool Provision::run(Operations& operations) {
  same_as_ = same_namespaces(program_.namespaces, transport_);
  const size_t statements = operations.list.size();
  if (options_.log != nullptr) options_.log->begin(operations);
  const bool may_go_on = settle_all(operations);
  const auto size = static_cast<uint32_t>(operations.list.size());
  bool goes_on = true;
  for (uint32_t first = 0; first < size && goes_on;) {
    uint32_t last = first;
    while (last < size && belong_together(operations.list[first], operations.list[last])) ++last;
    goes_on = run_part(operations, first, last);
    first = last;
  }
  stats_.operations += statements;
  before_ += statements;
  if (options_.log != nullptr) options_.log->end(operations, goes_on && may_go_on);
  return goes_on && may_go_on;
}

bool Provision::run_part(const Operations& operations, uint32_t first, uint32_t last) {
  auto start = std::chrono::steady_clock::now();
  const bool transaction = operations.list[first].transaction != 0;
  const bool can_roll_back = transaction || options_.executor.policy == Policy::Rollback;
  const Plan plan = make_plan(operations, first, last, program_.namespaces,
                              {.plain = !options_.plan, .defer_deletes = can_roll_back, .same_as = same_as_});
  stats_.plan_seconds += seconds_since(start);
  start = std::chrono::steady_clock::now();
  Outcomes outcomes;
  const bool goes_on = executor_.run(plan, operations, outcomes, transaction);
  stats_.execute_seconds += seconds_since(start);
  signal_ = outcomes.signal;
  for (const Failure& failure : outcomes.failures) note_failure(failure, operations);
  if (options_.log != nullptr) options_.log->account(operations, first, last, outcomes);
  note_not_restored(outcomes);
  if (outcomes.rolled_back)
    note_rollback(outcomes);
  else if (goes_on)
    done_ += last - first;
  return goes_on;
}

void Provision::note_failure(const Failure& failure, const Operations& operations) {
  const uint32_t number = operations.list[failure.operation].number;
  const bool shows = ++failure_count_ <= kMostShown;
  if (!shows && options_.log == nullptr) return;
  Diagnostic diagnostic = describe(failure, operations, program_);
  if (options_.log != nullptr)
    options_.log->fail(number, failure.outcome, failure.error, failure.text, diagnostic.message);
  if (shows) shown_.push_back({std::move(diagnostic), before_ + number});
}

// The loop that a statement is in is found by expanding the script again, so this comes after the run.
void Provision::report() {
  for (Shown& each : shown_) {
    auto notes = program_.context_of(each.operation);
    each.diagnostic.notes.insert(each.diagnostic.notes.begin(), notes.begin(), notes.end());
    print(stderr, "{}", grammar::render(each.diagnostic, program_.sources));
  }
  if (failure_count_ > kMostShown)
    print(stderr, "and {} more failure{}\n", failure_count_ - kMostShown, plural(failure_count_ - kMostShown));
  if (signal_ != 0) print(stderr, "ended by {}\n", strsignal(signal_));
  for (const std::string& text : not_restored_) print(stderr, "not restored: {}\n", text);
  if (rolled_back_) {
    print(stderr, "rolled back {} operation{}; {}\n", undone_, plural(undone_),
          not_restored_.empty() ? "nothing of this script remains" : "all but the above is as it was");
  } else if (transactions_rolled_back_) {
    print(stderr, "rolled back {} operation{} of the transaction\n", undone_, plural(undone_));
  }
}

}  // namespace netbatch
