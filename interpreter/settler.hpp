// The walk over a script's operations that settles them: see settle.hpp.
#pragma once

#include "interpreter/kinds.hpp"
#include "interpreter/ledger.hpp"

namespace netbatch {

class Settler {
 public:
  Settler(Operations& operations, const Namespaces& namespaces, StateReader& reader,
          std::vector<Difference>* differences);
  std::vector<Unsettled> run();

 private:
  // settle.cpp
  void read_ahead();
  void step(const Operation& op);
  void netns(const Operation& op);
  void emit(Operation op);
  void emit(Operation op, std::span<const Attr> attrs);
  void refuse(Span span, std::string message);
  std::span<const Attr> attrs(const Operation& op) const { return operations_.of(op.attrs); }
  std::string in(NsId ns) const;

  // settle_difference.cpp: for `plan` only
  Difference* difference();
  void note_effect(Verb verb);
  void note_change(const Operation& op, const Attr& attr, const KnownLink& link, NsId ns);
  void note_changes(const Operation& op, const Message& message);
  void note_move(NsId target);
  void note_name(std::string_view name, bool wanted);
  NameOf name_of(NsId ns);

  // settle_link.cpp
  void ensure_link(const Operation& op);
  void make_link(const Operation& op, NsId target);
  bool check_kind(const Operation& op, const KnownLink& link);
  bool check_peer(const Operation& op, const KnownLink& link, NsId peer_ns);
  void set_link(const Operation& op, KnownLink& link, NsId target);
  void set_peer(const Operation& op, NsId peer_ns);
  void emit_settings(Operation op, std::vector<Attr> settings);
  bool unchangeable(const Operation& op, const Attr& attr);
  void absent_link(const Operation& op);
  void ensure_names(const Operation& op);
  void observe_link(const Operation& op);
  void observe_new(const Operation& op);
  void observe_set(const Operation& op);

  // settle_family.cpp
  void address(const Operation& op);
  void ensure_address(const Operation& op, KnownLink& link);
  void absent_address(const Operation& op, KnownLink& link);
  void delete_address(const Operation& op, const Message& message);
  void route(const Operation& op);
  void neighbour(const Operation& op);
  void observe_family(const Operation& op);

  Operations& operations_;
  const Namespaces& namespaces_;
  Ledger ledger_;
  std::vector<Operation> before_;
  std::vector<Unsettled> unsettled_;
  std::vector<Difference>* differences_;
  uint32_t at_ = 0;  // in before_
};

// One of `ensure` and `absent`.
inline bool is_open(const Operation& op) { return op.verb >= Verb::Ensure; }

}  // namespace netbatch
