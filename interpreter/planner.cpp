#include "interpreter/planner.hpp"

#include <linux/rtnetlink.h>

#include <algorithm>
#include <iterator>

#include "interpreter/planner_state.hpp"

namespace netbatch {

bool is_index_name(std::string_view name) {
  return name.size() > 2 && name.starts_with("if") &&
         std::all_of(name.begin() + 2, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Planner::Planner(const Operations& operations, const Namespaces& namespaces, const PlannerOptions& options)
    : operations_(operations),
      namespaces_(namespaces),
      options_(options),
      draft_(operations),
      tracker_(std::in_place, options.same_as, namespaces.size()) {}

Plan Planner::run(uint32_t first, uint32_t last) {
  draft_.reserve(last - first);
  for (uint32_t i = first; i < last; ++i) {
    const Operation& operation = operations_.list[i];
    if (options_.plain || !plan(operation, i)) barrier(operation, i);
  }
  flush_deferred();
  flush_put_off();
  Plan plan = draft_.finish();
  plan.first = first;
  plan.last = last;
  return plan;
}

bool Planner::plan(const Operation& operation, uint32_t index) {
  if (netns_put_off_ && !is_apart_from_old_links(operation)) flush_put_off();
  if (netns_group_ == 0) netns_group_ = draft_.add_group(0);
  switch (operation.object) {
    case Object::Link:
      if (operation.name.empty() || is_index_name(operation.name)) return false;
      if (operation.verb == Verb::Add) return add_link(operation, index);
      if (operation.verb == Verb::Set) return set_link(operation, index);
      if (operation.verb == Verb::Delete) return delete_link(operation, index);
      return false;
    case Object::Addr:
      return operation.verb != Verb::Flush && !is_index_name(operation.name) && address(operation, index);
    case Object::Neigh:
      return !operation.name.empty() && !is_index_name(operation.name) && address(operation, index);
    case Object::Route:
      return route(operation, index);
    case Object::Netns:
      if (operation.verb == Verb::Delete) return delete_netns(operation, index);
      return operation.verb == Verb::Add && add_netns(operation, index);
  }
  return false;
}

// An operation that the planner does not see through: all before it stays before it, all after it after.
void Planner::barrier(const Operation& operation, uint32_t index) {
  flush_deferred();
  flush_put_off();
  const bool joins = draft_.request_count() != 0 && draft_.request_count() == requests_at_barrier_ &&
                     draft_.group_ns(last_barrier_) == operation.ns;
  if (!joins) {
    last_barrier_ = draft_.add_group(operation.ns);
    if (!options_.plain) tracker_.emplace(options_.same_as, namespaces_.size());
    netns_group_ = 0;
  }
  floor_ = draft_.group_count();
  draft_.add_source(draft_.add_request(last_barrier_, operation.ns), index, End::Main, Part::All);
  requests_at_barrier_ = draft_.request_count();
}

// The request goes to the end of the namespace's last group, unless it must come after something later.
uint32_t Planner::place(const Touches& touches, NsId ns) {
  if (touches.follows_waiting()) flush_put_off_links();
  const Time after = touches.after();
  TrackedNamespace& state = tracker_->ns(ns);
  const uint32_t last = state.last_group;
  const bool joins = last >= floor_ && last != 0 && draft_.group_ns(last) == ns && group_of(after) <= last;
  const uint32_t group = joins ? last : draft_.add_group(ns);
  state.last_group = group;
  const uint32_t request = draft_.add_request(group, ns);
  touches.mark(make_time(group, request));
  return request;
}

bool Planner::may_join(uint32_t request, const Touches& touches) {
  if (touches.follows_waiting()) flush_put_off_links();
  return request != kNone && !draft_.request(request).closed && draft_.request(request).group >= floor_ &&
         touches.after() <= draft_.time(request);
}

// What is deleted cannot be brought back as it was, so it is deleted last, when nothing can fail any more; or right
// before the first operation that needs what it touches.
void Planner::put_off(const Touches& touches, uint32_t index) {
  put_off_.push_back({touches, index});
  touches.wait();
}

// Links before namespaces, whose deletion takes links along at a time of its own.
void Planner::flush_put_off() {
  flush_put_off_links();
  std::vector<PutOff> waiting = std::move(put_off_);
  put_off_.clear();
  netns_put_off_ = false;
  for (const PutOff& each : waiting) each.touches.end_wait();
  for (const PutOff& each : waiting) barrier(operations_.list[each.index], each.index);
}

// While an operation is being planned: it is apart from the namespaces that wait, and their deletion would begin
// another tracker under it.
void Planner::flush_put_off_links() {
  auto is_netns = [&](const PutOff& each) { return operations_.list[each.index].object == Object::Netns; };
  std::vector<PutOff> waiting = std::move(put_off_);
  put_off_.clear();
  std::copy_if(waiting.begin(), waiting.end(), std::back_inserter(put_off_), is_netns);
  std::erase_if(waiting, is_netns);
  for (const PutOff& each : waiting) each.touches.end_wait();
  for (const PutOff& each : waiting) place_delete(each.touches, operations_.list[each.index], each.index);
}

// Whether the deletion of a namespace, and of what goes with it, may wait until after the operation: another deletion,
// or one that is only about links and namespaces that the plan makes.
bool Planner::is_apart_from_old_links(const Operation& operation) {
  auto waits = [&](NsId ns) { return tracker_->ns(ns).existence.waiting_writes != 0; };
  if (operation.object == Object::Netns)
    return operation.verb == Verb::Delete || !waits(namespaces_.find(operation.name));
  if (operation.object == Object::Link && operation.verb == Verb::Delete) return true;
  if (waits(operation.ns)) return false;
  for (const AttrRange range : {operation.attrs, operation.peer_attrs}) {
    for (const Attr& attr : operations_.of(range)) {
      if (attr.row->type == ValueType::Link) return false;
      if (attr.row->option == Option::Netns && waits(static_cast<NsId>(attr.value.number))) return false;
    }
  }
  if (operation.object == Object::Link && operation.verb == Verb::Add) return true;
  const bool about_link = operation.object == Object::Link || operation.object == Object::Addr;
  if (!about_link || !tracker_->is_created(operation.ns, operation.name)) return false;
  return !tracker_->in_world(tracker_->link(operation.ns, operation.name));
}

bool Planner::delete_netns(const Operation& operation, uint32_t index) {
  const NsId id = namespaces_.find(operation.name);
  if (!options_.defer_deletes || id == 0) return false;
  flush_deferred();
  Touches touches;
  touches.add(tracker_->ns(id).existence, Access::Write);
  touches.add(tracker_->ns(id).routing, Access::Write);
  touches.add(tracker_->world(), Access::Write);
  put_off(touches, index);
  netns_put_off_ = true;
  return true;
}

// A name that must be free.
void Planner::touch_new_name(Touches& touches, NsId ns_id, TrackedName& name) {
  const TrackedNamespace& ns = tracker_->ns(ns_id);
  touches.add(name.times, Access::Write);
  if (!ns.created || ns.has_old_links) touches.add(tracker_->untracked_names(), Access::Shared);
}

void Planner::touch_named_link(Touches& touches, LinkId id, Access component) {
  TrackedLink& link = (*tracker_)[id];
  touches.add(tracker_->ns(link.ns).existence, Access::Shared);
  if (!link.created()) touches.add(tracker_->name(link.ns, link.name).times, Access::Shared);
  touches.add(link.times, Access::Write);
  touches.add(tracker_->component(id), tracker_->in_world(id) ? Access::Write : component);
}

// Links whose `up` is put off: ports in one sweep, then the bridges, so that the packets which each new link sends are
// not flooded to all ports that are up (measured: DESIGN section 3).
void Planner::flush_deferred() {
  for (const bool bridges : {false, true}) {
    for (const Deferred& deferred : deferred_) {
      TrackedLink& link = (*tracker_)[deferred.link];
      if (link.is_bridge() != bridges) continue;
      if (link.up_deferred) raise(deferred.link);
      draft_.add_source(link.set_by, deferred.operation, End::Main, Part::OnlyUp);
    }
  }
  deferred_.clear();
}

void Planner::raise(LinkId id) {
  TrackedLink& link = (*tracker_)[id];
  link.up_deferred = false;
  link.up = true;
  if (link.is_bridge()) --tracker_->ns(link.ns).deferred_bridges;
  Touches touches;
  touch_named_link(touches, id, Access::Shared);
  touches.add(tracker_->ns(link.ns).routing, Access::Shared);
  if (link.peer != kNone) touches.add((*tracker_)[link.peer].times, Access::Write);
  link.set_by = place(touches, link.ns);
  DraftRequest& request = draft_.request(link.set_by);
  request.name = link.name;
  request.closed = true;
}

void Planner::defer_up(LinkId id, uint32_t index) {
  TrackedLink& link = (*tracker_)[id];
  if (!link.up_deferred && link.is_bridge()) ++tracker_->ns(link.ns).deferred_bridges;
  link.up_deferred = true;
  deferred_.push_back({id, index});
}

bool Planner::address(const Operation& operation, uint32_t index) {
  const LinkId id = tracker_->link(operation.ns, operation.name);
  const bool bridge_may_wait =
      (*tracker_)[id].is_bridge() && operation.header.family == AF_INET && operation.verb == Verb::Add;
  if ((*tracker_)[id].up_deferred && !bridge_may_wait) flush_deferred();
  if (!bridge_may_wait) (*tracker_)[id].has_address = true;
  Touches touches;
  touch_named_link(touches, id, Access::Shared);
  touches.add(tracker_->ns(operation.ns).routing, Access::Write);
  draft_.add_source(place(touches, operation.ns), index, End::Main, Part::All);
  return true;
}

bool Planner::route(const Operation& operation, uint32_t index) {
  TrackedNamespace& ns = tracker_->ns(operation.ns);
  if (ns.deferred_bridges > 0) flush_deferred();
  Touches touches;
  touches.add(ns.existence, Access::Shared);
  touches.add(ns.routing, Access::Write);
  if (!ns.created || ns.has_old_links) touches.add(tracker_->world(), Access::Shared);
  for (const Attr& attr : operations_.of(operation.attrs)) {
    if (attr.row->attribute == RTA_MULTIPATH) return false;  // its hops name links of their own
    if (attr.row->type != ValueType::Link) continue;
    if (is_index_name(attr.value.text()) || touches.full()) return false;
    const LinkId id = tracker_->link(operation.ns, attr.value.text());
    if ((*tracker_)[id].up_deferred) flush_deferred();
    touch_named_link(touches, id, Access::Shared);
  }
  draft_.add_source(place(touches, operation.ns), index, End::Main, Part::All);
  return true;
}

// Namespaces are made first, all in one group, where nothing has used the name before.
bool Planner::add_netns(const Operation& operation, uint32_t index) {
  const NsId id = namespaces_.find(operation.name);
  if (id == 0 || tracker_->canonical(id) != id) return false;
  TrackedNamespace& ns = tracker_->ns(id);
  Touches touches;
  touches.add(ns.existence, Access::Write);
  if (touches.after() != 0) return false;
  const uint32_t request = draft_.add_request(netns_group_, 0);
  draft_.request(request).closed = true;
  touches.mark(make_time(netns_group_, request));
  draft_.add_source(request, index, End::Main, Part::All);
  ns.created = true;
  return true;
}

Plan make_plan(const Operations& operations, uint32_t first, uint32_t last, const Namespaces& namespaces,
               const PlannerOptions& options) {
  return Planner(operations, namespaces, options).run(first, last);
}

Plan make_plan(const Operations& operations, const Namespaces& namespaces, const PlannerOptions& options) {
  return make_plan(operations, 0, static_cast<uint32_t>(operations.list.size()), namespaces, options);
}

}  // namespace netbatch
