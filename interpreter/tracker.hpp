// What the planner knows of links, names and namespaces while it reads the script: which request touched each last.
// Two requests may change places only if they share nothing that one of them writes.
#pragma once

#include <span>

#include "interpreter/kinds.hpp"
#include "interpreter/operation.hpp"
#include "interpreter/stable_vector.hpp"

namespace netbatch {

// When something was touched: group << 32 | request. 0 is never.
using Time = uint64_t;

constexpr Time make_time(uint32_t group, uint32_t request) { return Time{group} << 32 | request; }
constexpr uint32_t group_of(Time time) { return static_cast<uint32_t>(time >> 32); }
constexpr uint32_t kNone = UINT32_MAX;

// A resource. Shared touches commute with each other; a write with nothing.
struct Times {
  Time write = 0;
  Time shared = 0;
  // Touches of operations that wait to be placed.
  uint32_t waiting_writes = 0;
  uint32_t waiting_shared = 0;
};

enum class Access : uint8_t { Shared, Write };

struct Touch {
  Times* times;
  Access access;
};

// All that one operation touches.
class Touches {
 public:
  void add(Times& times, Access access) { list_[count_++] = {&times, access}; }
  // The last time that must stay before the operation.
  Time after() const;
  void mark(Time time) const;
  // Whether an operation that waits must stay before this one.
  bool follows_waiting() const;
  // The operation waits from now on.
  void wait() const;
  void end_wait() const;
  bool full() const { return count_ + 8 > kCapacity; }

 private:
  static constexpr size_t kCapacity = 32;
  Touch list_[kCapacity];
  size_t count_ = 0;
};

using LinkId = uint32_t;

struct TrackedLink {
  Times times;
  uint32_t component = 0;  // what it is stacked on, stacked under or enslaved to; 0: the world that was there before
  uint32_t created_by = kNone;  // the request that creates it
  uint32_t set_by = kNone;      // the last request that sets something of it alone
  LinkId peer = kNone;
  LinkId master = kNone;
  const Kind* kind = nullptr;
  NsId ns = 0;
  std::string_view name;
  bool peer_end = false;  // the peer of the request that creates it
  bool has_address = false;
  bool has_upper = false;  // a link is stacked on it
  bool up_deferred = false;
  bool up = false;  // this plan has set it up
  bool created() const { return created_by != kNone; }
  bool is_bridge() const { return kind != nullptr && kind->name == "bridge"; }
};

struct TrackedNamespace {
  Times existence;
  Times routing;  // addresses and routes
  uint32_t last_group = 0;
  uint32_t deferred_bridges = 0;
  bool created = false;        // by this plan: nothing unknown is in it
  bool has_old_links = false;  // created, but a link from outside was moved in
};

// Components: sets of links whose MTU, address or state can follow each other's.
class Components {
 public:
  Components() { add(); }
  uint32_t add();
  uint32_t find(uint32_t component);
  void join(uint32_t a, uint32_t b);
  Times& times(uint32_t component) { return nodes_[find(component)].times; }
  static constexpr uint32_t kWorld = 0;
  bool is_world(uint32_t component) { return find(component) == kWorld; }

 private:
  struct Node {
    uint32_t parent = kWorld;
    Times times;
  };
  StableVector<Node> nodes_;
};

struct TrackedName {
  Times times;
  LinkId link = kNone;
  uint32_t deleted_by = kNone;  // the last request that deletes a link by this name
  NsId ns = 0;
  std::string_view name;
};

// Names of links by namespace and text. They stay where they are.
class TrackedNames {
 public:
  // Made when it is not there yet.
  TrackedName& operator()(NsId ns, std::string_view name);

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t name = kNone;  // index; kNone: free
  };
  void grow();

  std::vector<Slot> slots_;  // a power of two
  StableVector<TrackedName> names_;
};

class Tracker {
 public:
  explicit Tracker(std::span<const NsId> same_as, size_t namespace_count);

  NsId canonical(NsId ns) const { return ns < same_as_.size() ? same_as_[ns] : ns; }
  TrackedNamespace& ns(NsId ns) { return namespaces_[canonical(ns)]; }
  TrackedName& name(NsId ns, std::string_view name) { return names_(canonical(ns), name); }
  // The link that has this name now; one that the script did not make is taken as a part of the world.
  LinkId link(NsId ns, std::string_view name);
  // Whether a link that the plan creates has this name now.
  bool is_created(const TrackedName& name) { return name.link != kNone && links_[name.link].created(); }
  bool is_created(NsId ns, std::string_view name) { return is_created(this->name(ns, name)); }
  TrackedLink& operator[](LinkId id) { return links_[id]; }
  // Its name's entry is `name`.
  LinkId create(NsId ns, TrackedName& name, uint32_t request, const Kind* kind);
  void rename(LinkId link, NsId ns, std::string_view name);
  void forget(LinkId link);
  Times& component(LinkId link) { return components_.times(links_[link].component); }
  bool in_world(LinkId link) { return components_.is_world(links_[link].component); }
  void join(LinkId a, LinkId b) { components_.join(links_[a].component, links_[b].component); }
  // The names of links that nobody tracks: deleting or moving a link from outside may free some, its peer's, those of
  // links stacked on it, and alternative ones, in any namespace.
  Times& untracked_names() { return untracked_names_; }
  Times& world() { return components_.times(Components::kWorld); }

 private:
  std::span<const NsId> same_as_;
  std::vector<TrackedNamespace> namespaces_;
  StableVector<TrackedLink> links_;
  TrackedNames names_;
  Components components_;
  Times untracked_names_;
};

}  // namespace netbatch
