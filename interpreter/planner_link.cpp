// How links are added, set and deleted: which requests they touch, and what may be one request.
#include <algorithm>

#include "interpreter/planner_state.hpp"

namespace netbatch {
namespace {

const Attr* find(std::span<const Attr> attrs, Option option) {
  auto place = std::find_if(attrs.begin(), attrs.end(), [&](const Attr& attr) { return attr.row->option == option; });
  return place == attrs.end() ? nullptr : &*place;
}

NsId netns_of(std::span<const Attr> attrs, NsId otherwise) {
  const Attr* netns = find(attrs, Option::Netns);
  return netns ? static_cast<NsId>(netns->value.number) : otherwise;
}

// Two values of one property are never one request, so options that set the same property share a bit.
uint64_t bit(Option option) {
  if (option == Option::Down) option = Option::Up;
  if (option == Option::NoMaster) option = Option::Master;
  return uint64_t{1} << static_cast<unsigned>(option);
}

// What changes only the link itself and nothing that stands above, below or beside it.
bool is_local(Option option, bool has_upper) {
  switch (option) {
    case Option::Up:
      return !has_upper;
    case Option::Name:
    case Option::Netns:
    case Option::Master:
    case Option::Alias:
    case Option::Group:
    case Option::TxQueueLen:
      return true;
    default:
      return false;
  }
}

// What has another effect when the link has no carrier yet: a link gets its fe80:: address with its first carrier.
bool minds_carrier(const Row& row) {
  switch (row.option) {
    case Option::Up:
    case Option::Mtu:
    case Option::Master:
    case Option::Name:
    case Option::Netns:
      return false;
    default:
      return !row.fusion.inert;
  }
}

bool keeps_routes(const Row& row) {
  switch (row.option) {
    case Option::Up:
    case Option::Mtu:
    case Option::Address:
    case Option::Master:
    case Option::Name:
      return true;
    default:
      return row.fusion.inert;
  }
}

// What VETH_INFO_PEER takes (drivers/net/veth.c: rtnl_create_link; flags and master fail or are ignored).
bool fits_peer(Option option) {
  switch (option) {
    case Option::Name:
    case Option::Netns:
    case Option::Mtu:
    case Option::Address:
    case Option::Group:
    case Option::TxQueueLen:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Planner::add_link(const Operation& operation, uint32_t index) {
  const auto attrs = operations_.of(operation.attrs);
  const auto peer_attrs = operations_.of(operation.peer_attrs);
  const NsId ns = netns_of(attrs, operation.ns);
  const NsId peer_ns = netns_of(peer_attrs, operation.ns);
  const Attr* master = find(attrs, Option::Master);
  if (!operation.kind || (ns != operation.ns && master)) return false;
  if (find_kind(operation.kind->name) == nullptr) return false;  // nobody knows what may be fused
  TrackedName& name = tracker_->name(ns, operation.name);
  if (tracker_->is_created(name)) return false;
  if (operation.kind->has_peer && (operation.peer_name.empty() || is_index_name(operation.peer_name))) return false;
  TrackedName* peer_name = operation.has_peer ? &tracker_->name(peer_ns, operation.peer_name) : nullptr;
  if (peer_name != nullptr && tracker_->is_created(*peer_name)) return false;

  Touches touches;
  touches.add(tracker_->ns(operation.ns).existence, Access::Shared);
  touches.add(tracker_->ns(ns).existence, Access::Shared);
  touch_new_name(touches, ns, name);
  if (peer_name != nullptr) {
    touches.add(tracker_->ns(peer_ns).existence, Access::Shared);
    touch_new_name(touches, peer_ns, *peer_name);
  }
  std::vector<LinkId> related;
  for (const Attr& attr : attrs) {
    if (attr.row->type != ValueType::Link) continue;
    if (is_index_name(attr.value.text()) || touches.full()) return false;
    related.push_back(tracker_->link(operation.ns, attr.value.text()));
    TrackedLink& other = (*tracker_)[related.back()];
    if (attr.row->option != Option::Master) {
      if (other.up_deferred) flush_deferred();
      other.has_upper = true;
    }
    touches.add(other.times, Access::Shared);
    touches.add(tracker_->component(related.back()), Access::Shared);
    if (!other.created()) touches.add(tracker_->name(other.ns, other.name).times, Access::Shared);
  }

  const uint32_t request = place(touches, operation.ns);
  const LinkId id = tracker_->create(ns, name, request, operation.kind);
  if (peer_name != nullptr) {
    const LinkId peer = tracker_->create(peer_ns, *peer_name, request, operation.kind);
    (*tracker_)[peer].peer_end = true;
    (*tracker_)[peer].peer = id;
    (*tracker_)[id].peer = peer;
  }
  for (const LinkId end : {id, (*tracker_)[id].peer}) {
    if (end == kNone) continue;
    (*tracker_)[end].times.write = draft_.time(request);
    tracker_->component(end).write = draft_.time(request);
  }
  for (LinkId other : related) tracker_->join(id, other);
  if (master) (*tracker_)[id].master = tracker_->link(operation.ns, master->value.text());

  const bool defers = find(attrs, Option::Up) && gains_by_waiting(id, (*tracker_)[id].master);
  for (const Attr& attr : attrs)
    if (!defers || attr.row->option != Option::Up) fuse(request, End::Main, {&attr, 1}, true);
  fuse(request, End::Peer, peer_attrs, true);
  draft_.add_source(request, index, End::Main, defers ? Part::WithoutUp : Part::All);
  if (defers) defer_up(id, index);
  return true;
}

// A bridge that this plan creates goes up last. A port goes up last too, unless its bridge is still down.
bool Planner::gains_by_waiting(LinkId id, LinkId master) {
  if ((*tracker_)[id].is_bridge()) return true;
  if (master == kNone) return false;
  const TrackedLink& above = (*tracker_)[master];
  return !above.is_bridge() || !above.created() || above.up;
}

bool Planner::set_link(const Operation& operation, uint32_t index) {
  const auto attrs = operations_.of(operation.attrs);
  const LinkId id = tracker_->link(operation.ns, operation.name);
  Touches touches;
  if (!touch_set(touches, id, attrs, operation.ns)) return false;

  TrackedLink& link = (*tracker_)[id];
  const Attr* master = find(attrs, Option::Master);
  const bool may_defer =
      link.created() && !link.has_address && !link.has_upper && !operation.kind && !find(attrs, Option::Netns) &&
      find(attrs, Option::Up) &&
      gains_by_waiting(id, master ? tracker_->link(operation.ns, master->value.text()) : link.master);
  if (may_defer && attrs.size() == 1) {
    defer_up(id, index);
    return true;
  }
  const bool defers = may_defer && attrs.size() == 2 && master && !link.up_deferred;
  const bool inert = std::all_of(attrs.begin(), attrs.end(), [](const Attr& attr) { return attr.row->fusion.inert; });
  const bool peer_waits = link.peer != kNone && (*tracker_)[link.peer].up_deferred;
  const bool minds = std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) { return minds_carrier(*attr.row); });
  if ((link.up_deferred && !inert) || (peer_waits && minds)) flush_deferred();

  const auto now = defers ? std::span(master, 1) : attrs;
  const Part part = defers ? Part::WithoutUp : Part::All;
  const bool into_creation =
      !operation.kind && link.set_by == kNone && may_join(link.created_by, touches) && fits_creation(id, now);
  const bool into_set =
      !into_creation && !operation.kind && may_join(link.set_by, touches) && fits_set(link.set_by, now);
  uint32_t request = into_creation ? link.created_by : link.set_by;
  if (into_creation || into_set)
    touches.mark(draft_.time(request));
  else
    request = place(touches, operation.ns);
  const End end = into_creation && link.peer_end ? End::Peer : End::Main;
  fuse(request, end, now, into_creation);
  if (operation.kind) draft_.request(request).closed = true;
  draft_.add_source(request, index, end, part);
  apply(id, now, request, into_creation);
  if (defers) defer_up(id, index);
  return true;
}

bool Planner::touch_set(Touches& touches, LinkId id, std::span<const Attr> attrs, NsId ns) {
  TrackedLink& link = (*tracker_)[id];
  Access component = attrs.empty() ? Access::Write : Access::Shared;
  Access routing = Access::Shared;
  NsId to = netns_of(attrs, ns);
  const Attr* rename = find(attrs, Option::Name);
  std::string_view name = rename ? rename->value.text() : link.name;
  if (is_index_name(name)) return false;
  for (const Attr& attr : attrs) {
    if (!is_local(attr.row->option, link.has_upper)) component = Access::Write;
    if (!keeps_routes(*attr.row)) routing = Access::Write;
    // The second end that goes up gives both their carrier at once; the first one does not.
    if (attr.row->option == Option::Up && link.peer != kNone) touches.add((*tracker_)[link.peer].times, Access::Write);
    if (attr.row->type != ValueType::Link) continue;
    if (is_index_name(attr.value.text()) || touches.full() || to != ns) return false;
    const LinkId other = tracker_->link(ns, attr.value.text());
    if (other == id) return false;
    touches.add((*tracker_)[other].times, Access::Shared);
    touches.add(tracker_->component(other), Access::Shared);
    touches.add(tracker_->name(ns, attr.value.text()).times, Access::Shared);
  }
  if (rename || to != ns) {
    if (touches.full() || tracker_->is_created(to, name)) return false;
    touches.add(tracker_->name(link.ns, link.name).times, Access::Write);
    touch_new_name(touches, to, tracker_->name(to, name));
    touches.add(tracker_->ns(to).existence, Access::Shared);
  }
  if (touches.full()) return false;
  touch_named_link(touches, id, component);
  touches.add(tracker_->ns(ns).routing, routing);
  if (to != ns && !link.created()) touches.add(tracker_->untracked_names(), Access::Write);
  return true;
}

// May these become a part of the request that creates the link?
bool Planner::fits_creation(LinkId id, std::span<const Attr> attrs) {
  const TrackedLink& link = (*tracker_)[id];
  const DraftRequest& request = draft_.request(link.created_by);
  const auto end = static_cast<size_t>(link.peer_end);
  for (const Attr& attr : attrs) {
    const Option option = attr.row->option;
    const Fusion& fusion = attr.row->fusion;
    const uint64_t seen = request.seen[end];
    if (fusion.create_order == 0 || (link.peer_end && !fits_peer(option))) return false;
    if (!fusion.inert && (fusion.create_order < request.order[end] || (seen & bit(option)))) return false;
    if (option == Option::Mtu && !link.kind->fuses_mtu) return false;
    if (option == Option::Master && (seen & bit(Option::Netns))) return false;
    if (option == Option::Netns && (!link.kind->movable || link.kind->underlay ||
                                    (seen & (bit(Option::Up) | bit(Option::Master) | bit(Option::Other)))))
      return false;
  }
  return !attrs.empty();
}

// May these become a part of an RTM_SETLINK of the same link?
bool Planner::fits_set(uint32_t request_id, std::span<const Attr> attrs) {
  const DraftRequest& request = draft_.request(request_id);
  return std::all_of(attrs.begin(), attrs.end(), [&](const Attr& attr) {
    const Fusion& fusion = attr.row->fusion;
    if (fusion.order == 0 || attr.row->option == Option::Netns || attr.row->option == Option::Name) return false;
    return fusion.inert || (fusion.order >= request.order[0] && !(request.seen[0] & bit(attr.row->option)));
  });
}

void Planner::fuse(uint32_t request_id, End end, std::span<const Attr> attrs, bool creation) {
  DraftRequest& request = draft_.request(request_id);
  const auto side = static_cast<size_t>(end);
  for (const Attr& attr : attrs) {
    const Fusion& fusion = attr.row->fusion;
    const uint8_t order = creation ? fusion.create_order : fusion.order;
    if (!fusion.inert) request.order[side] = std::max(request.order[side], order);
    // The kind's own options stay what they are in another namespace.
    if (attr.row->place != Place::InfoData) request.seen[side] |= bit(attr.row->option);
    if (!creation && (order == 0 || attr.row->option == Option::Netns || attr.row->option == Option::Name))
      request.closed = true;
  }
}

// The script's view of the link after the operation.
void Planner::apply(LinkId id, std::span<const Attr> attrs, uint32_t request, bool placed) {
  TrackedLink& link = (*tracker_)[id];
  if (!placed) link.set_by = request;
  const NsId from = link.ns;
  const std::string_view old_name = link.name;
  const NsId to = netns_of(attrs, from);
  const Attr* rename = find(attrs, Option::Name);
  for (const Attr& attr : attrs) {
    if (attr.row->option == Option::NoMaster) link.master = kNone;
    if (attr.row->option == Option::Up) link.up = true;
    if (attr.row->type != ValueType::Link) continue;
    const LinkId other = tracker_->link(from, attr.value.text());
    if (attr.row->option == Option::Master) link.master = other;
    tracker_->join(id, other);
  }
  if (to == from && !rename) return;
  if (placed) draft_.add_absent(request, {from, old_name});
  tracker_->rename(id, to, rename ? rename->value.text() : old_name);
  if (to == from) return;
  link.has_address = false;
  link.master = kNone;
  if (tracker_->in_world(id)) tracker_->ns(to).has_old_links = true;
}

bool Planner::delete_link(const Operation& operation, uint32_t index) {
  if (operation.kind || operation.attrs.count != 0) return false;
  flush_deferred();
  if (tracker_->ns(operation.ns).existence.waiting_writes != 0) flush_put_off();
  const LinkId id = tracker_->link(operation.ns, operation.name);
  Touches touches;
  for (const LinkId end : {id, (*tracker_)[id].peer}) {
    if (end == kNone) continue;
    const TrackedLink& link = (*tracker_)[end];
    touches.add(tracker_->name(link.ns, link.name).times, Access::Write);
    touches.add(tracker_->ns(link.ns).routing, Access::Write);
    touch_named_link(touches, end, Access::Write);
    if (!link.created()) touches.add(tracker_->untracked_names(), Access::Write);
  }
  const LinkId peer = (*tracker_)[id].peer;
  tracker_->forget(id);
  if (peer != kNone) tracker_->forget(peer);
  if (options_.defer_deletes) {
    put_off(touches, index);
  } else {
    place_delete(touches, operation, index);
  }
  return true;
}

void Planner::place_delete(const Touches& touches, const Operation& operation, uint32_t index) {
  // Each name once: a second delete of it fails.
  uint32_t& deleted_by = tracker_->name(operation.ns, operation.name).deleted_by;
  const uint32_t last = tracker_->ns(operation.ns).last_group;
  uint32_t request = last >= floor_ && last != 0 ? draft_.tail(last) : kNone;
  if (request != kNone && request == last_delete_ && draft_.group_ns(last) == operation.ns && request != deleted_by &&
      touches.after() <= draft_.time(request)) {
    draft_.request(request).kind = RequestKind::DeleteGroup;
    touches.mark(draft_.time(request));
  } else {
    request = place(touches, operation.ns);
    draft_.request(request).closed = true;
    last_delete_ = request;
  }
  deleted_by = request;
  draft_.add_source(request, index, End::Main, Part::All);
}

}  // namespace netbatch
