// Addresses, routes and neighbours that are to be there, or not to be there.
#include <linux/rtnetlink.h>

#include "interpreter/present_family.hpp"
#include "interpreter/settler.hpp"

namespace netbatch {
namespace {

Operation with_verb(Operation op, Verb verb) {
  op.verb = verb;
  return op;
}

}  // namespace

void Settler::address(const Operation& op) {
  const bool ensures = op.verb == Verb::Ensure;
  if (!ledger_.exists(op.ns, op.name)) {
    if (ensures) emit(with_verb(op, Verb::Add));  // which fails, and says why
    return;
  }
  KnownLink& link = ledger_.link(op.ns, op.name);
  ensures ? ensure_address(op, link) : absent_address(op, link);
}

void Settler::ensure_address(const Operation& op, KnownLink& link) {
  const std::string key = address_key(op, attrs(op));
  const bool touched = link.touched.contains(key);
  if (!link.was_there() || link.moved) return emit(with_verb(op, touched ? Verb::Replace : Verb::Add));
  if (touched || link.touched_all || link.standing != Standing::Present) return emit(with_verb(op, Verb::Replace));
  const int index = PresentLink(link.message).index();
  for (const Message& message : ledger_.dump(op.ns, RTM_GETADDR)) {
    switch (compare_address(op, attrs(op), message, index)) {
      case Likeness::Other:
        continue;
      case Likeness::Same:
        return;
      case Likeness::Settable:
        note_changes(op, message);
        return emit(with_verb(op, Verb::Replace));
      case Likeness::Different: {
        note_changes(op, message);
        delete_address(op, message);
        return emit(with_verb(op, Verb::Add));
      }
    }
  }
  emit(with_verb(op, Verb::Add));
}

void Settler::absent_address(const Operation& op, KnownLink& link) {
  const std::string key = address_key(op, attrs(op));
  if (auto place = link.touched.find(key); place != link.touched.end()) {
    if (place->second) emit(with_verb(op, Verb::Delete));
    return;
  }
  if (!link.was_there() || link.moved) return;
  const int index = PresentLink(link.message).index();
  for (const Message& message : ledger_.dump(op.ns, RTM_GETADDR)) {
    if (!is_address(op, attrs(op), message, index)) continue;
    delete_address(op, message);
  }
}

// By the address alone: the kernel would compare a label, too.
void Settler::delete_address(const Operation& op, const Message& message) {
  Operation plain = with_verb(op, Verb::Delete);
  plain.header.prefix_length = prefix_length_of(message);
  std::vector<Attr> kept;
  for (const Attr& attr : attrs(op)) {
    const bool other_length =
        attr.row->attribute == IFA_ADDRESS && plain.header.prefix_length != op.header.prefix_length;
    if (attr.row->attribute == IFA_LOCAL || (attr.row->attribute == IFA_ADDRESS && !other_length)) kept.push_back(attr);
  }
  emit(plain, kept);
}

void Settler::route(const Operation& op) {
  const std::string key = route_key(op, attrs(op));
  const bool ensures = op.verb == Verb::Ensure;
  auto& touched = ledger_.touched(op.ns, Object::Route);
  const auto index_of = [&](std::string_view name) { return ledger_.index(op.ns, name); };
  if (auto place = touched.find(key); place != touched.end()) {
    if (ensures) return emit(with_verb(op, Verb::Replace));
    if (place->second) emit(with_verb(op, Verb::Delete));
    return;
  }
  bool taken = false;
  for (const Message& message : ledger_.dump(op.ns, RTM_GETROUTE)) {
    const Likeness likeness = compare_route(op, attrs(op), message, index_of);
    taken = taken || likeness != Likeness::Other;
    if (ensures && likeness == Likeness::Settable) note_changes(op, message);
    if (likeness != Likeness::Same) continue;
    if (!ensures) return emit(with_verb(op, Verb::Delete));
    if (!ledger_.touches_link_with(op.ns, route_device(message))) return;
  }
  if (ensures) emit(with_verb(op, taken ? Verb::Replace : Verb::Add));
}

void Settler::neighbour(const Operation& op) {
  const std::string key = neighbour_key(op, attrs(op));
  const bool ensures = op.verb == Verb::Ensure;
  auto& touched = ledger_.touched(op.ns, Object::Neigh);
  if (auto place = touched.find(key); place != touched.end()) {
    if (ensures) return emit(with_verb(op, Verb::Replace));
    if (place->second) emit(with_verb(op, Verb::Delete));
    return;
  }
  const int index = op.name.empty() ? 0 : ledger_.index(op.ns, op.name);
  if (!op.name.empty() && (index == 0 || ledger_.link(op.ns, op.name).standing != Standing::Present)) {
    if (ensures) emit(with_verb(op, Verb::Replace));
    if (!ensures && index != 0 && ledger_.exists(op.ns, op.name)) {
      for (const Message& message : ledger_.dump(op.ns, RTM_GETNEIGH))
        if (compare_neighbour(op, attrs(op), message, index) != Likeness::Other)
          return emit(with_verb(op, Verb::Delete));
    }
    return;
  }
  for (const Message& message : ledger_.dump(op.ns, RTM_GETNEIGH)) {
    const Likeness likeness = compare_neighbour(op, attrs(op), message, index);
    if (likeness == Likeness::Other) continue;
    if (!ensures) return emit(with_verb(op, Verb::Delete));
    if (likeness == Likeness::Same) return;
    note_changes(op, message);
    return emit(with_verb(op, Verb::Replace));
  }
  if (ensures) emit(with_verb(op, Verb::Add));
}

// What a plain statement does to what is known.
void Settler::observe_family(const Operation& op) {
  const bool there = op.verb != Verb::Delete;
  if (op.object == Object::Route) {
    ledger_.touched(op.ns, op.object)[route_key(op, attrs(op))] = there;
  } else if (op.object == Object::Neigh) {
    ledger_.touched(op.ns, op.object)[neighbour_key(op, attrs(op))] = there;
  } else {
    KnownLink& link = ledger_.link(op.ns, op.name);
    if (op.verb == Verb::Flush)
      link.touched_all = true;
    else
      link.touched[address_key(op, attrs(op))] = there;
  }
}

}  // namespace netbatch
