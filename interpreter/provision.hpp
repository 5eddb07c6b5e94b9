// One run of a program against the kernel: planned and executed piece by piece, transaction by transaction; its
// failures and what became of them.
#pragma once

#include <functional>

#include "interpreter/executor.hpp"
#include "interpreter/journal.hpp"
#include "interpreter/kernel_transport.hpp"
#include "interpreter/outcome_log.hpp"
#include "interpreter/program.hpp"

namespace netbatch {

struct ProvisionOptions {
  ExecutorOptions executor;
  bool plan = true;
  OutcomeLog* log = nullptr;  // is told of all that is done
};

class Provision {
 public:
  Provision(Program& program, const ProvisionOptions& options, Stats& stats, Journal* journal);

  // 0, or the errno that says that links may not be changed here; nothing is tried then.
  int permission();
  // Runs `operations`, the next piece of the program, once its `ensure` and `absent` are settled. False when the run is
  // over.
  bool run(Operations& operations);
  // Shows on standard error what failed and what was taken back.
  void report();
  size_t failure_count() const { return failure_count_; }
  int signal() const { return signal_; }
  bool rolled_back() const { return rolled_back_; }
  // Whether a rollback has left nothing that another try might restore.
  bool restored_all() const { return restored_all_; }
  size_t not_restored_count() const { return not_restored_.size(); }

  // Operations that are planned together. What a longer program has is planned and run in such pieces.
  static constexpr size_t kPiece = 128 * 1024;

 private:
  struct Shown {
    Diagnostic diagnostic;
    size_t operation;  // from the program's first
  };
  bool belong_together(const Operation& a, const Operation& b) const;
  bool run_part(const Operations& operations, uint32_t first, uint32_t last);
  bool settle_all(Operations& operations);
  void drop(Operations& operations, const std::function<bool(const Operation&)>& is_dropped);
  void note_rollback(const Outcomes& outcomes);
  void note_not_restored(const Outcomes& outcomes);
  void note_failure(const Failure& failure, const Operations& operations);

  Program& program_;
  const ProvisionOptions options_;
  Stats& stats_;
  KernelTransport transport_;
  Executor executor_;
  std::vector<NsId> same_as_;
  size_t before_ = 0;  // operations of earlier pieces
  std::vector<Shown> shown_;
  size_t failure_count_ = 0;
  size_t done_ = 0;  // operations of parts that have ended well
  size_t undone_ = 0;
  std::vector<std::string> not_restored_;
  bool rolled_back_ = false;
  bool restored_all_ = true;
  bool transactions_rolled_back_ = false;
  int signal_ = 0;
};

// For each name of a namespace, the first name of the same one: two names can be one namespace.
std::vector<NsId> same_namespaces(const Namespaces& namespaces, Transport& transport);

}  // namespace netbatch
