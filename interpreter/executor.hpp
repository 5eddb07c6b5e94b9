// Runs a plan: fills windows, sends each with one call, and accounts for every reply.
#pragma once

#include <deque>

#include "interpreter/delete_history.hpp"
#include "interpreter/free_names.hpp"
#include "interpreter/name_cache.hpp"
#include "interpreter/outcome.hpp"
#include "interpreter/plan.hpp"
#include "interpreter/stats.hpp"
#include "interpreter/transport.hpp"
#include "netlink/ack.hpp"

namespace netbatch {

enum class Policy : uint8_t { Stop, Continue };

struct ExecutorOptions {
  Policy policy = Policy::Stop;
  size_t window = 0;  // requests per sendmsg; 0: as many as the receive buffer can answer
};

// Whether netbatch picks a name for the link or its peer.
bool needs_name(const Operation& operation);

class Executor : private Resolver {
 public:
  Executor(Transport& transport, const Namespaces& namespaces, const ExecutorOptions& options, Stats& stats);

  // Runs the plan, whose requests refer to `operations`. May be called again with the next plan of the same run.
  // Returns false when the policy ended the run.
  bool run(const Plan& plan, const Operations& operations, Outcomes& outcomes);

 private:
  // A request in the window.
  struct Pending {
    enum class State : uint8_t { Unsent, Silent, Answered, Lost };
    const Request* request = nullptr;      // null: one statement, run plainly
    uint32_t source = 0;                   // the first statement that it carries out
    const Operation* operation = nullptr;  // what is encoded
    const Operations* owner = nullptr;
    State state = State::Unsent;
    bool cached = false;  // a name in it came from the cache
    bool retried = false;
    int error = 0;
    uint32_t offset = 0;  // NLMSGERR_ATTR_OFFS
    std::string text{};   // NLMSGERR_ATTR_MSG
    bool is_exact() const { return request == nullptr || request->kind == RequestKind::Plain; }
  };

  // Fill.
  void step(const Request& request);
  void run_single(const Request* request, uint32_t index);
  void append(Pending pending);
  bool window_full();
  // Reap.
  void flush();
  bool names_are_absent(std::vector<Pending>& window);
  void transmit(std::vector<Pending>& window);
  void collect(std::vector<Pending>& window);
  void account(const netlink::Ack& ack, std::vector<Pending>& window);
  // Account.
  void settle(Pending& pending);
  void refuse(Pending& pending, const EncodeError& error);
  bool retry_stale(Pending& pending);
  bool is_open(const Request& request) const;
  void run_plainly(const Request& request);
  void done(const Pending& pending);
  void fail(Failure failure);
  Span operand_at(const Pending& pending);
  // What is not one message.
  void netns_statement(uint32_t index);
  void flush_addresses(uint32_t index);
  int delete_addresses(const Operation& operation, int link_index, size_t& deleted);
  int send_one(NsId ns);
  void add_unnamed(const Request* request, uint32_t index);
  void delete_group(const Request& request);
  void delete_tagged(std::span<const uint32_t> sources, std::span<const LinkInfo> links);
  int tag(NsId ns, std::span<const LinkInfo> links, std::span<const uint32_t> groups);
  int delete_by_group(NsId ns, uint32_t group);

  void forget_names(const Operation& operation, const Operations& owner);
  netlink::Result<int> link(NsId ns, std::string_view name) override;
  netlink::Result<int> netns(NsId ns, int* pid) override;

  Transport& transport_;
  const Namespaces& namespaces_;
  const ExecutorOptions options_;
  Stats& stats_;
  const Plan* plan_ = nullptr;
  const Operations* operations_ = nullptr;
  Outcomes* outcomes_ = nullptr;

  NameCache cache_;
  DeleteHistory deletes_;
  FreeNames free_names_;
  Arena names_;
  std::deque<Operation> named_;  // operations whose names netbatch picked
  netlink::MessageBuffer buffer_;
  std::vector<std::byte> replies_;
  std::vector<Pending> window_;
  NsId window_ns_ = 0;
  size_t window_limit_ = 0;
  NsId window_limit_ns_ = 0;
  bool window_changes_names_ = false;
  bool used_cache_ = false;
  uint32_t sequence_ = 0;      // of the last request appended
  uint32_t window_first_ = 0;  // sequence of the window's first request
  bool stopped_ = false;
};

}  // namespace netbatch
