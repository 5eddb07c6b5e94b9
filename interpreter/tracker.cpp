#include "interpreter/tracker.hpp"

#include <algorithm>
#include <utility>

#include "interpreter/name_hash.hpp"

namespace netbatch {
namespace {

uint32_t& waiting(const Touch& touch) {
  return touch.access == Access::Write ? touch.times->waiting_writes : touch.times->waiting_shared;
}

}  // namespace

Time Touches::after() const {
  Time after = 0;
  for (const Touch& touch : std::span(list_, count_)) {
    after = std::max(after, touch.times->write);
    if (touch.access == Access::Write) after = std::max(after, touch.times->shared);
  }
  return after;
}

bool Touches::follows_waiting() const {
  return std::any_of(list_, list_ + count_, [](const Touch& touch) {
    return touch.times->waiting_writes != 0 || (touch.access == Access::Write && touch.times->waiting_shared != 0);
  });
}

void Touches::wait() const {
  for (const Touch& touch : std::span(list_, count_)) ++waiting(touch);
}

void Touches::end_wait() const {
  for (const Touch& touch : std::span(list_, count_)) --waiting(touch);
}

void Touches::mark(Time time) const {
  for (const Touch& touch : std::span(list_, count_)) {
    Time& last = touch.access == Access::Write ? touch.times->write : touch.times->shared;
    last = std::max(last, time);
  }
}

uint32_t Components::add() {
  const auto id = static_cast<uint32_t>(nodes_.size());
  nodes_.emplace_back().parent = id;
  return id;
}

uint32_t Components::find(uint32_t component) {
  while (nodes_[component].parent != component) {
    nodes_[component].parent = nodes_[nodes_[component].parent].parent;
    component = nodes_[component].parent;
  }
  return component;
}

void Components::join(uint32_t a, uint32_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (b < a) std::swap(a, b);  // the world, 0, stays a root
  nodes_[b].parent = a;
  nodes_[a].times.write = std::max(nodes_[a].times.write, nodes_[b].times.write);
  nodes_[a].times.shared = std::max(nodes_[a].times.shared, nodes_[b].times.shared);
}

TrackedName& TrackedNames::operator()(NsId ns, std::string_view name) {
  if (names_.size() * 2 >= slots_.size()) grow();
  const auto hash = static_cast<uint32_t>(name_hash(ns, name));
  const size_t mask = slots_.size() - 1;
  size_t place = hash & mask;
  for (; slots_[place].name != kNone; place = (place + 1) & mask) {
    if (slots_[place].hash != hash) continue;
    TrackedName& known = names_[slots_[place].name];
    if (known.ns == ns && known.name == name) return known;
  }
  slots_[place] = {hash, static_cast<uint32_t>(names_.size())};
  TrackedName& added = names_.emplace_back();
  added.ns = ns;
  added.name = name;
  return added;
}

void TrackedNames::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::max<size_t>(16, slots_.size() * 2)));
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.name == kNone) continue;
    size_t place = slot.hash & mask;
    while (slots_[place].name != kNone) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

Tracker::Tracker(std::span<const NsId> same_as, size_t namespace_count)
    : same_as_(same_as), namespaces_(namespace_count) {}

LinkId Tracker::link(NsId ns, std::string_view name) {
  TrackedName& entry = this->name(ns, name);
  if (entry.link == kNone) {
    entry.link = static_cast<LinkId>(links_.size());
    TrackedLink& link = links_.emplace_back();
    const TrackedNamespace& home = this->ns(ns);
    if (home.created && !home.has_old_links) link.component = components_.add();  // only its `lo` can be meant
    link.ns = ns;
    link.name = name;
  }
  return entry.link;
}

LinkId Tracker::create(NsId ns, TrackedName& name, uint32_t request, const Kind* kind) {
  const auto id = static_cast<LinkId>(links_.size());
  TrackedLink& link = links_.emplace_back();
  link.component = components_.add();
  link.created_by = request;
  link.kind = kind;
  link.ns = ns;
  link.name = name.name;
  name.link = id;
  return id;
}

void Tracker::rename(LinkId id, NsId ns, std::string_view name) {
  forget(id);
  links_[id].ns = ns;
  links_[id].name = name;
  this->name(ns, name).link = id;
}

void Tracker::forget(LinkId id) {
  TrackedName& entry = name(links_[id].ns, links_[id].name);
  if (entry.link == id) entry.link = kNone;
}

}  // namespace netbatch
