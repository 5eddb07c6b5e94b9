// What is said of the statements that are settled: see difference.hpp.
#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "interpreter/link_state.hpp"
#include "interpreter/settler.hpp"

namespace netbatch {

// Of the statement that is being settled; null where nothing is asked for.
Difference* Settler::difference() {
  const bool asked = differences_ != nullptr && at_ < before_.size() && is_open(before_[at_]);
  return asked ? &differences_->back() : nullptr;
}

// An address that is deleted and added again is changed.
void Settler::note_effect(Verb verb) {
  Difference* all = difference();
  if (all == nullptr || all->effect == Effect::Make || all->effect == Effect::Change) return;
  if (all->effect == Effect::Delete)
    all->effect = verb == Verb::Delete ? Effect::Delete : Effect::Change;
  else
    all->effect = verb == Verb::Add ? Effect::Make : verb == Verb::Delete ? Effect::Delete : Effect::Change;
}

void Settler::note_change(const Operation& op, const Attr& attr, const KnownLink& link, NsId ns) {
  Difference* all = difference();
  if (all == nullptr) return;
  const bool known = link.was_there() && link.standing == Standing::Present;
  Change change = link_change(attr, op.kind, PresentLink(link.message), name_of(ns), namespaces_);
  if (!known) change.old.reset();
  change.is_known = change.is_known && known;
  if (op.name != before_[at_].name) change.link = op.name;
  all->changes.push_back(std::move(change));
}

void Settler::note_changes(const Operation& op, const Message& message) {
  if (Difference* all = difference(); all != nullptr)
    all->changes = family_changes(op, attrs(op), message, name_of(op.ns), namespaces_);
}

void Settler::note_move(NsId target) {
  if (Difference* all = difference(); all != nullptr)
    all->changes.push_back({.option = "netns", .fresh = namespaces_.name(target), .is_known = false});
}

void Settler::note_name(std::string_view name, bool wanted) {
  Difference* all = difference();
  if (all == nullptr) return;
  const std::string text(name);
  all->changes.push_back({.option = "altname",
                          .old = wanted ? std::nullopt : std::optional(text),
                          .fresh = wanted ? std::optional(text) : std::nullopt});
}

NameOf Settler::name_of(NsId ns) {
  return [this, ns](int index) {
    for (const Message& link : ledger_.dump(ns, RTM_GETLINK)) {
      if (link_index_of(link) != index) continue;
      if (const std::string_view name = link_name_of(link); !name.empty()) return std::string(name);
      break;
    }
    return index == 0 ? std::string() : fmt::format("if{}", index);
  };
}

}  // namespace netbatch
