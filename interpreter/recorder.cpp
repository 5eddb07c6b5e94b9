#include "interpreter/recorder.hpp"

#include <linux/rtnetlink.h>

#include <algorithm>

namespace netbatch {
namespace {

// Whether setting it may take addresses, routes or neighbours away (DESIGN section 5). Below an MTU of 1280 a link has
// no IPv6.
bool may_lose(const Attr& attr) {
  constexpr uint64_t kIpv6MinMtu = 1280;
  switch (attr.row->option) {
    case Option::Up:
    case Option::Alias:
    case Option::Group:
    case Option::TxQueueLen:
      return false;
    case Option::Mtu:
      return attr.value.number < kIpv6MinMtu;
    default:
      return true;
  }
}

// The MTU below which links on top are changed too: MTUs follow it down. UINT32_MAX: they are changed in any case
// (VLANs go down with the link below, and all go up with it, also those that were down), or cannot be found any more
// (the link leaves their namespace); 0: they are not.
uint32_t moves_upper(std::span<const Attr> attrs) {
  uint32_t moves = 0;
  for (const Attr& attr : attrs) {
    if (attr.row->option == Option::Down || attr.row->option == Option::Netns) return UINT32_MAX;
    if (attr.row->option == Option::Mtu) moves = static_cast<uint32_t>(attr.value.number);
  }
  return moves;
}

// Whether setting it may change the link that this one is a port of: a bridge takes its MTU and MAC address from its
// ports.
bool moves_master(const Attr& attr) {
  switch (attr.row->option) {
    case Option::Master:
    case Option::NoMaster:
    case Option::Mtu:
    case Option::Address:
    case Option::Netns:
      return true;
    default:
      return false;
  }
}

}  // namespace

Recorder::Range Recorder::note(const Operation& operation, const Operations& owner) {
  const auto first = static_cast<uint32_t>(log_.entries.size());
  const uint8_t touched = operation.object == Object::Route   ? FamilyState::kRoutes
                          : operation.object == Object::Neigh ? FamilyState::kNeighbours
                                                              : uint8_t{0};
  if (operation.object == Object::Link) {
    note_link(operation, owner);
  } else if (!is_our_namespace(operation.ns)) {
    std::string_view device = operation.name;
    for (const Attr& attr : owner.of(operation.attrs))
      if (attr.row->type == ValueType::Link) device = attr.value.text();
    want_if_taken(operation.ns, device);
    if (!device.empty()) want({operation.ns, std::string(device)});
    if (touched == FamilyState::kRoutes || !is_ours(operation.ns, device)) want_family(operation.ns, touched);
  }
  return {first, static_cast<uint32_t>(log_.entries.size())};
}

void Recorder::note_link(const Operation& operation, const Operations& owner) {
  const auto attrs = owner.of(operation.attrs);
  if (operation.verb != Verb::Add) want_if_taken(operation.ns, operation.name);
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Master) want({operation.ns, std::string(attr.value.text())});
  switch (operation.verb) {
    case Verb::Add:
    case Verb::Replace:
      return note_add(operation, owner);
    case Verb::Delete:
      return note_delete(operation, attrs);
    default:
      note_set(operation, attrs);
  }
}

// One that exists already is not ours. Where the window has made a name free, its success will tell.
void Recorder::note_add(const Operation& operation, const Operations& owner) {
  const NsId peer_ns = target_of(owner.of(operation.peer_attrs), operation.ns);
  const NsId ns = target_of(owner.of(operation.attrs), operation.ns);
  const size_t entry = log_.add(UndoKind::CreatedLink, ns, operation.name, peer_ns, operation.peer_name);
  log_.entries[entry].takes_freed_name = deletes_ || origin(ns, operation.name).is != Origin::Is::Link;
  if (!is_ours(ns, operation.name)) wants_.push_back({ns, std::string(operation.name), entry});
  origins_[{ns, std::string(operation.name)}] = {Origin::Is::Ours, {}};
  if (!operation.peer_name.empty())
    origins_[{peer_ns, std::string(operation.peer_name)}] = {
        Origin::Is::Ours, {}, !is_ours(peer_ns, operation.peer_name)};
}

void Recorder::note_delete(const Operation& operation, std::span<const Attr> attrs) {
  std::vector<std::string> names{std::string(operation.name)};
  if (operation.name.empty()) names = group_members(operation, attrs);
  for (const std::string& name : names) {
    if (is_ours(operation.ns, name)) continue;
    const Origin from = origin(operation.ns, name);
    const Key there = from.is == Origin::Is::Link ? from.key : Key{operation.ns, name};
    const size_t entry = log_.add(UndoKind::DeletedLink, operation.ns, name);
    log_.states.emplace_back(sizeof(ifinfomsg));
    log_.entries[entry].state = static_cast<uint32_t>(log_.states.size() - 1);
    log_.entries[entry].arrived = there.ns != operation.ns || arrived_.contains(there);
    wants_.push_back({.ns = there.ns, .name = there.name, .entry = entry, .with_master = true});
    origins_[{operation.ns, name}] = {Origin::Is::Free, {}};
    deletes_ = true;
    want_family(operation.ns, FamilyState::kRoutes);
  }
}

void Recorder::note_set(const Operation& operation, std::span<const Attr> attrs) {
  const bool ours = is_ours(operation.ns, operation.name);
  Want wanted;
  wanted.ns = operation.ns;
  wanted.with_upper = moves_upper(attrs);
  wanted.raises = std::any_of(attrs.begin(), attrs.end(), [](const Attr& a) { return a.row->option == Option::Up; });
  wanted.with_master = std::any_of(attrs.begin(), attrs.end(), moves_master);
  std::vector<std::string> names;
  if (operation.name.empty())
    names = group_members(operation, attrs);
  else if (!ours)
    names.emplace_back(operation.name);
  for (std::string& name : names) {
    wanted.name = std::move(name);
    want(wanted);
  }
  // The loopback link gets its addresses when it is set up, and keeps them.
  const bool may_change = std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) { return may_lose(attr); });
  if (!ours && (may_change || operation.name == "lo")) want_family(operation.ns, 0);
  note_new_place(operation, attrs, ours);
}

void Recorder::note_new_place(const Operation& operation, std::span<const Attr> attrs, bool ours) {
  const NsId to = target_of(attrs, operation.ns);
  std::string_view name = operation.name;
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Name) name = attr.value.text();
  if (to == operation.ns && name == operation.name) return;
  const UndoKind kind = to != operation.ns ? UndoKind::Moved : UndoKind::Renamed;
  log_.entries[log_.add(kind, operation.ns, operation.name, to, name)].ours = ours;
  if (!ours) without_upper_.erase(to);
  want({to, std::string(name)});  // where the name is taken, what follows is about the link that has it
  origins_[{to, std::string(name)}] = origin(operation.ns, operation.name);
  origins_[{operation.ns, std::string(operation.name)}] = {Origin::Is::Free, {}};
}

Recorder::Origin Recorder::origin(NsId ns, std::string_view name) const {
  if (!origins_.empty())
    if (const auto place = origins_.find({ns, std::string(name)}); place != origins_.end()) return place->second;
  return {Origin::Is::Link, {ns, std::string(name)}};
}

bool Recorder::is_ours(NsId ns, std::string_view name) const {
  const Origin from = origin(ns, name);
  if (from.is != Origin::Is::Link) return from.is == Origin::Is::Ours || is_our_namespace(ns);
  // What is in a namespace of the run is ours, unless it is known from where it was found.
  return ours_.contains(from.key) || (is_our_namespace(from.key.ns) && !known_.contains(from.key));
}

void Recorder::want(Want want) {
  Origin from = origin(want.ns, want.name);
  if (from.is != Origin::Is::Link || is_ours(want.ns, want.name)) return;
  if (!known_.insert(from.key).second && want.with_upper == 0 && !want.raises && !want.with_master) return;
  want.ns = from.key.ns;
  want.name = std::move(from.key.name);
  wants_.push_back(std::move(want));
}

// The name of a veth's other end that the window makes: where it is taken, the kernel makes neither, and what follows
// is about the link that has it.
void Recorder::want_if_taken(NsId ns, std::string_view name) {
  const auto place = origins_.find({ns, std::string(name)});
  if (place == origins_.end() || !place->second.may_be_taken) return;
  place->second.may_be_taken = false;
  wants_.push_back({ns, std::string(name)});
}

void Recorder::want_family(NsId ns, uint8_t touched) {
  if (is_our_namespace(ns)) return;
  auto known = log_.families.find(ns);
  if (known != log_.families.end()) {
    known->second.touched |= touched;
    return;
  }
  auto place = std::find_if(family_wants_.begin(), family_wants_.end(), [&](auto& each) { return each.first == ns; });
  if (place == family_wants_.end())
    family_wants_.push_back({ns, touched});
  else
    place->second |= touched;
}

void Recorder::settle(Range range, bool applied) {
  for (uint32_t i = range.first; i < range.last; ++i) {
    UndoEntry& entry = log_.entries[i];
    // A link that could not be deleted may have been changed by what followed.
    if (!applied && entry.applied && !entry.arrived && entry.kind == UndoKind::DeletedLink) {
      entry.kind = UndoKind::LinkState;
      continue;
    }
    entry.applied = applied && (entry.applied || entry.takes_freed_name);
    if (!entry.applied) continue;
    Key key{entry.ns, std::string(entry.name)};
    Key other{entry.other_ns, std::string(entry.other_name)};
    switch (entry.kind) {
      case UndoKind::CreatedLink:
        known_.erase(key);
        ours_.insert(std::move(key));
        if (!entry.other_name.empty()) ours_.insert(std::move(other));
        break;
      case UndoKind::DeletedLink:
        known_.erase(key);
        arrived_.erase(key);
        break;
      case UndoKind::Moved:
      case UndoKind::Renamed:
        entry.ours = is_ours(entry.ns, entry.name);
        ours_.erase(other);
        known_.erase(other);
        if (entry.ours) {
          ours_.erase(key);
          ours_.insert(std::move(other));
        } else if (known_.erase(key) != 0) {
          if (arrived_.erase(key) != 0 || entry.kind == UndoKind::Moved) arrived_.insert(other);
          known_.insert(std::move(other));
        }
        break;
      default:
        break;
    }
  }
}

Recorder::Range Recorder::note_netns(NsId ns, bool creates) {
  const auto first = static_cast<uint32_t>(log_.entries.size());
  if (our_namespaces_.size() <= ns) our_namespaces_.resize(ns + 1);
  const bool exists = creates && transport_.identity(ns);  // then it will not be made, and is not ours
  if (!exists && (creates || !our_namespaces_[ns]))
    log_.add(creates ? UndoKind::CreatedNetns : UndoKind::DeletedNetns, ns, {});
  return {first, static_cast<uint32_t>(log_.entries.size())};
}

void Recorder::settle_netns(Range range, NsId ns, bool creates, bool applied) {
  for (uint32_t i = range.first; i < range.last; ++i) log_.entries[i].applied = applied;
  if (applied) our_namespaces_[ns] = creates;
}

}  // namespace netbatch
