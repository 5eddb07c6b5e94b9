// Runs a plan: fills windows, sends each with one call, and accounts for every reply.
#pragma once

#include <csignal>
#include <deque>
#include <optional>
#include <span>

#include "interpreter/delete_history.hpp"
#include "interpreter/exchange.hpp"
#include "interpreter/free_names.hpp"
#include "interpreter/name_cache.hpp"
#include "interpreter/name_uses.hpp"
#include "interpreter/outcome.hpp"
#include "interpreter/plan.hpp"
#include "interpreter/progress.hpp"
#include "interpreter/recorder.hpp"
#include "interpreter/undo.hpp"

namespace netbatch {

// What a failure leaves of the run: nothing; what ran before it; all that could be done.
enum class Policy : uint8_t { Rollback, Stop, Continue };

struct ExecutorOptions {
  Policy policy = Policy::Rollback;
  size_t window = 0;  // requests per sendmsg; 0: as many as the receive buffer can answer
  // Set by a signal handler to the signal's number: the run ends by its policy. Null: no signals.
  const volatile std::sig_atomic_t* signal = nullptr;
  Progress* progress = nullptr;  // is told after each window how many operations of the run are done
};

// Whether netbatch picks a name for the link or its peer.
bool needs_name(const Operation& operation);

class Executor : private Resolver {
 public:
  Executor(Transport& transport, const Namespaces& namespaces, const ExecutorOptions& options, Stats& stats,
           UndoSink* sink = nullptr);

  // Runs the plan, whose requests refer to `operations`. May be called again with the next plan of the same run.
  // Returns false when the policy ended the run.
  // `all_or_nothing`: the plan is a transaction, whatever the policy.
  bool run(const Plan& plan, const Operations& operations, Outcomes& outcomes, bool all_or_nothing = false);
  // Takes back what the plans so far have done, of the whole run under Policy::Rollback.
  void take_back(Outcomes& outcomes);

 private:
  // An index that the cache gave.
  struct CachedIndex {
    NsId ns;
    std::string_view name;
    int index;
  };
  // A request in the window.
  struct Pending {
    const Request* request = nullptr;  // null: one statement, run plainly
    uint32_t source = 0;               // the first statement that it carries out
    uint32_t last_source = 0;
    const Operation* operation = nullptr;  // what is encoded
    const Operations* owner = nullptr;
    std::vector<CachedIndex> cached{};
    bool retried = false;
    bool refused = false;  // not sent, because of `answer`
    Recorder::Range undo{};
    Answer answer{};
    bool is_exact() const { return request == nullptr || request->kind == RequestKind::Plain; }
  };

  void run_plan();
  void recover();
  bool is_exact_end() const;
  bool can_run_again() const;
  bool is_begun(uint32_t index) const { return begun_in_[index] != kNotBegun; }
  bool stays_done(uint32_t index) const;
  void run_all_plainly();
  void forget_all_names();
  void begin_log();
  void checkpoint(size_t first);
  size_t log_size() const { return logs_.empty() ? 0 : logs_.back().entries.size(); }
  // Fill.
  void step(const Request& request);
  void run_single(const Request* request, uint32_t index);
  void append(Pending pending);
  void note_uses(const Pending& pending);
  bool window_full();
  // Reap.
  void flush();
  bool names_are_absent(std::vector<Pending>& window);
  bool record(std::vector<Pending>& window);
  bool is_interrupted();
  void transmit(std::vector<Pending>& window);
  void show_progress() {
    if (options_.progress != nullptr) options_.progress->show(done_count_);
  }
  // Account.
  void settle(Pending& pending);
  void refuse(Pending& pending, const EncodeError& error);
  bool retry_stale(Pending& pending);
  bool is_open(const Request& request) const;
  void mark_all(const Request& request, Outcome outcome);
  void done(const Pending& pending);
  void done(uint32_t index);
  void fail(Failure failure);
  void fail(uint32_t index, int error, Span span, std::string text = {});
  Span operand_at(const Pending& pending);
  // What is not one message.
  void netns_statement(uint32_t index);
  size_t create_namespaces(std::span<const Request> requests);
  void flush_addresses(uint32_t index);
  int delete_addresses(const Operation& operation, int link_index, size_t& deleted);
  int send_one(NsId ns);
  void add_unnamed(const Request* request, uint32_t index);
  void delete_group(const Request& request);
  void refuse_missing(std::span<const uint32_t> sources, std::span<const LinkInfo> links);
  void delete_present(std::span<const uint32_t> sources, std::span<const LinkInfo> links);
  bool delete_together(std::span<const uint32_t> sources, std::span<const LinkInfo> links);
  void run_plainly(std::span<const uint32_t> sources);

  bool records() const { return policy_ != Policy::Continue || sink_ != nullptr; }
  int write_ahead();
  int record_ahead();
  void forget_names(const Operation& operation, const Operations& owner);
  netlink::Result<int> link(NsId ns, std::string_view name) override;
  netlink::Result<int> netns(NsId ns, int* pid) override;

  Transport& transport_;
  const Namespaces& namespaces_;
  const ExecutorOptions options_;
  Stats& stats_;
  UndoSink* sink_;
  const Plan* plan_ = nullptr;
  const Operations* operations_ = nullptr;
  Outcomes* outcomes_ = nullptr;
  std::vector<uint8_t> remaining_;  // by operation: requests of the plan that carry it out and are not done
  uint64_t done_count_ = 0;         // operations of all plans
  // By operation: the number of the log that takes back the first of its requests that is done, and, once it is done
  // itself, the last one.
  static constexpr uint32_t kNotBegun = UINT32_MAX;
  std::vector<uint32_t> begun_in_;
  std::vector<uint32_t> done_in_;

  NameCache cache_;
  DeleteHistory deletes_;
  FreeNames free_names_;
  Arena names_;
  std::deque<Operation> named_;  // operations whose names netbatch picked
  Exchange exchange_;
  netlink::MessageBuffer buffer_;
  std::vector<Pending> window_;
  NsId window_ns_ = 0;
  NameUses fused_uses_;  // under Policy::Continue: elsewhere what has run too far is taken back
  size_t window_limit_ = 0;
  NsId window_limit_ns_ = 0;
  bool window_changes_names_ = false;
  std::vector<CachedIndex> used_cache_;  // by the request that is being made
  uint32_t highest_sent_ = 0;            // the last statement of which anything was sent
  bool stopped_ = false;                 // nothing more is sent
  std::span<const uint32_t> foreseen_;   // deletions in front of the failure, which was found before they were begun
  Policy policy_;                        // the plan's
  size_t written_ahead_ = 0;             // entries of the log that the sink has

  // Of the run as far as it is to be taken back as a whole. Where something that was there has been deleted, another
  // one begins: what comes before cannot be done again, so that a recovery goes no further back.
  UndoLogs logs_;
  uint32_t log_number_ = 0;  // of the last one, counted from the plan's first
  std::optional<Recorder> recorder_;
  Undo undo_;
};

}  // namespace netbatch
