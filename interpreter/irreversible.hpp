// What a rollback cannot take back, as far as the script shows it: what it takes from links and namespaces that were
// there before. What the script makes itself is no loss.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grammar/source.hpp"
#include "interpreter/operation.hpp"

namespace netbatch {

enum class Loss : uint8_t {
  DeletedLink,
  DeletedNetns,
  MovedLink,
  LeftPort,
  WentDown,
  SetAddress,
  FlushedEntries,
};

// A word for programs, e.g. "deleted-link".
std::string_view loss_code(Loss loss);
// What does not come back, and why.
std::string_view loss_reason(Loss loss);

struct Irreversible {
  uint32_t operation = 0;  // its place in the list
  Loss loss = Loss::DeletedLink;
};

// Goes through a script's operations in order, piece by piece. Asks the kernel nothing.
class IrreversibleFinder {
 public:
  explicit IrreversibleFinder(const Namespaces& namespaces) : namespaces_(namespaces) {}
  // What is lost by the next operations of the script, in their order.
  std::vector<Irreversible> find(const Operations& operations);

 private:
  using Names = std::map<std::string, bool, std::less<>>;  // whether the script has made it; else it was there before
  struct Space {
    bool made = false;
    Names links;  // that the script has made, renamed or moved
  };

  void see(const Operation& op, std::span<const Attr> attrs);
  void add_link(const Operation& op, std::span<const Attr> attrs);
  void delete_link(const Operation& op);
  void set_link(const Operation& op, std::span<const Attr> attrs);
  void lose_settings(std::span<const Attr> attrs);
  void netns(const Operation& op);
  Space& space(NsId ns);
  bool is_made(NsId ns, std::string_view name);
  void lose(Loss loss) { found_.push_back({at_, loss}); }

  const Namespaces& namespaces_;
  std::vector<Space> spaces_;
  const Operations* operations_ = nullptr;
  uint32_t at_ = 0;
  std::vector<Irreversible> found_;
};

// The losses of a whole script for people: each statement of the source once, with the number of times that it runs.
class IrreversibleList {
 public:
  void add(std::span<const Irreversible> found, const Operations& operations, const Namespaces& namespaces);
  // Empty when nothing is lost.
  std::string text(const grammar::Sources& sources) const;

 private:
  struct Entry {
    Span span;
    Loss loss;
    std::string first;  // the first such operation
    size_t count = 0;
  };
  std::vector<Entry> entries_;
  std::map<std::pair<uint32_t, Loss>, size_t> places_;  // in entries_, by where the statement begins
};

}  // namespace netbatch
