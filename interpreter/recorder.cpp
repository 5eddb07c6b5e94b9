#include "interpreter/recorder.hpp"

#include <linux/rtnetlink.h>

#include <algorithm>

#include "interpreter/link_state.hpp"

namespace netbatch {
namespace {

NsId target_of(std::span<const Attr> attrs, NsId ns) {
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Netns) ns = static_cast<NsId>(attr.value.number);
  return ns;
}

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

}  // namespace

Recorder::Range Recorder::note(const Operation& operation, const Operations& owner) {
  const auto first = static_cast<uint32_t>(log_.entries.size());
  const bool about_routes = operation.object == Object::Route;
  if (operation.object == Object::Link) {
    note_link(operation, owner);
  } else if (!(operation.ns < our_namespaces_.size() && our_namespaces_[operation.ns])) {
    std::string_view device = operation.name;
    for (const Attr& attr : owner.of(operation.attrs))
      if (attr.row->type == ValueType::Link) device = attr.value.text();
    if (!device.empty()) want(operation.ns, device);
    if (about_routes || !is_ours(operation.ns, device)) want_family(operation.ns, about_routes);
  }
  return {first, static_cast<uint32_t>(log_.entries.size())};
}

void Recorder::note_link(const Operation& operation, const Operations& owner) {
  const auto attrs = owner.of(operation.attrs);
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Master) want(operation.ns, attr.value.text());
  switch (operation.verb) {
    case Verb::Add:
    case Verb::Replace: {
      const NsId peer_ns = target_of(owner.of(operation.peer_attrs), operation.ns);
      const NsId ns = target_of(attrs, operation.ns);
      const size_t entry = log_.add(UndoKind::CreatedLink, ns, operation.name, peer_ns, operation.peer_name);
      want(ns, operation.name, false, entry);  // one that exists already is not ours
      return;
    }
    case Verb::Delete:
      if (is_ours(operation.ns, operation.name)) return;
      want(operation.ns, operation.name, true);
      want_family(operation.ns, false);
      return;
    default:
      note_set(operation, attrs);
  }
}

void Recorder::note_set(const Operation& operation, std::span<const Attr> attrs) {
  const bool ours = is_ours(operation.ns, operation.name);
  if (operation.name.empty()) {  // a whole group
    std::vector<std::string> names;
    if (transport_.link_names(operation.ns, names) == 0)
      for (const std::string& name : names) want(operation.ns, name);
  } else if (!ours) {
    want(operation.ns, operation.name);
  }
  if (!ours && std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) { return may_lose(attr); }))
    want_family(operation.ns, false);
  const NsId to = target_of(attrs, operation.ns);
  std::string_view name = operation.name;
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Name) name = attr.value.text();
  if (to == operation.ns && name == operation.name) return;
  const UndoKind kind = to != operation.ns ? UndoKind::Moved : UndoKind::Renamed;
  log_.entries[log_.add(kind, operation.ns, operation.name, to, name)].ours = ours;
}

bool Recorder::is_ours(NsId ns, std::string_view name) const {
  return (ns < our_namespaces_.size() && our_namespaces_[ns]) || ours_.contains(Key{ns, std::string(name)});
}

void Recorder::want(NsId ns, std::string_view name, bool deletes, size_t entry) {
  if (entry == SIZE_MAX && (is_ours(ns, name) || (!deletes && !known_.insert({ns, std::string(name)}).second))) return;
  wants_.push_back({ns, std::string(name), entry, deletes});
}

void Recorder::want_family(NsId ns, bool routes) {
  if (ns < our_namespaces_.size() && our_namespaces_[ns]) return;
  auto known = log_.families.find(ns);
  if (known != log_.families.end()) {
    known->second.routes_touched |= routes;
    return;
  }
  auto place = std::find_if(family_wants_.begin(), family_wants_.end(), [&](auto& each) { return each.first == ns; });
  if (place == family_wants_.end())
    family_wants_.push_back({ns, routes});
  else
    place->second |= routes;
}

int Recorder::read_states() {
  int failed = 0;
  for (const auto& [ns, routes] : family_wants_) {
    FamilyState state;
    state.routes_touched = routes;
    int error = transport_.dump(ns, RTM_GETADDR, state.addresses);
    if (error == 0) error = transport_.dump(ns, RTM_GETROUTE, state.routes);
    if (error == 0) error = transport_.dump(ns, RTM_GETNEIGH, state.neighbours);
    if (error == 0) log_.families.emplace(ns, std::move(state));
    if (failed == 0) failed = error;
  }
  family_wants_.clear();
  for (size_t first = 0; first < wants_.size();) {
    size_t last = first;
    std::vector<std::string_view> names;
    for (; last < wants_.size() && wants_[last].ns == wants_[first].ns; ++last) names.push_back(wants_[last].name);
    std::vector<Message> found;
    stats_.lookups += names.size();
    const int error = transport_.read_links(wants_[first].ns, names, found);
    for (size_t i = first; error == 0 && i < last; ++i) keep(wants_[i], std::move(found[i - first]));
    if (failed == 0) failed = error;
    first = last;
  }
  wants_.clear();
  return failed;
}

void Recorder::keep(const Want& want, Message state) {
  if (want.entry != SIZE_MAX && !state.empty()) log_.entries[want.entry].applied = false;
  if (state.empty()) {
    known_.erase({want.ns, want.name});
    return;
  }
  log_.states.push_back(settable_part(state));
  const size_t entry = log_.add(want.deletes ? UndoKind::DeletedLink : UndoKind::LinkState, want.ns, want.name);
  log_.entries[entry].state = static_cast<uint32_t>(log_.states.size() - 1);
}

void Recorder::settle(Range range, bool applied) {
  for (uint32_t i = range.first; i < range.last; ++i) {
    UndoEntry& entry = log_.entries[i];
    entry.applied = entry.applied && applied;
    if (!entry.applied) continue;
    Key key{entry.ns, std::string(entry.name)};
    Key other{entry.other_ns, std::string(entry.other_name)};
    if (entry.kind == UndoKind::CreatedLink) {
      ours_.insert(std::move(key));
      if (!entry.other_name.empty()) ours_.insert(std::move(other));
      continue;
    }
    Keys& keys = entry.ours ? ours_ : known_;
    if (keys.erase(key) != 0) keys.insert(std::move(other));
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
