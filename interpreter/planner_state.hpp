// The planner's inside, shared by planner.cpp and planner_link.cpp.
#pragma once

#include <optional>

#include "interpreter/draft.hpp"
#include "interpreter/planner.hpp"
#include "interpreter/tracker.hpp"

namespace netbatch {

// `ifN` means the link with index N to iproute2 when no link has that name: it may be any link.
bool is_index_name(std::string_view name);

class Planner {
 public:
  Planner(const Operations& operations, const Namespaces& namespaces, const PlannerOptions& options);
  Plan run(uint32_t first, uint32_t last);

 private:
  struct PutOff {
    Touches touches;
    uint32_t index;
  };
  struct Deferred {
    LinkId link;
    uint32_t operation;
  };

  // Each returns false, and has done nothing, when the operation must be a barrier.
  bool plan(const Operation& operation, uint32_t index);
  bool add_link(const Operation& operation, uint32_t index);
  bool set_link(const Operation& operation, uint32_t index);
  bool delete_link(const Operation& operation, uint32_t index);
  bool address(const Operation& operation, uint32_t index);
  bool route(const Operation& operation, uint32_t index);
  bool is_apart_from_old_links(const Operation& operation);
  bool delete_netns(const Operation& operation, uint32_t index);
  bool add_netns(const Operation& operation, uint32_t index);

  void barrier(const Operation& operation, uint32_t index);
  uint32_t place(const Touches& touches, NsId ns);
  bool may_join(uint32_t request, const Touches& touches);
  void touch_new_name(Touches& touches, NsId ns, TrackedName& name);
  void touch_named_link(Touches& touches, LinkId id, Access component);
  void flush_deferred();
  void put_off(const Touches& touches, uint32_t index);
  void flush_put_off();
  void flush_put_off_links();
  void place_delete(const Touches& touches, const Operation& operation, uint32_t index);
  void raise(LinkId id);
  void defer_up(LinkId id, uint32_t index);

  bool gains_by_waiting(LinkId id, LinkId master);
  bool touch_set(Touches& touches, LinkId id, std::span<const Attr> attrs, NsId ns);
  bool fits_creation(LinkId id, std::span<const Attr> attrs);
  bool fits_set(uint32_t request, std::span<const Attr> attrs);
  void fuse(uint32_t request, End end, std::span<const Attr> attrs, bool creation);
  void apply(LinkId id, std::span<const Attr> attrs, uint32_t request, bool placed);

  const Operations& operations_;
  const Namespaces& namespaces_;
  const PlannerOptions& options_;
  Draft draft_;
  std::optional<Tracker> tracker_;
  std::vector<Deferred> deferred_;    // links whose `up` waits
  std::vector<PutOff> put_off_;       // deletes that wait
  bool netns_put_off_ = false;        // one of them deletes a namespace
  uint32_t floor_ = 0;                // no request joins a group before this one
  uint32_t last_barrier_ = 0;         // the group of the last barrier
  uint32_t requests_at_barrier_ = 0;  // how many there were after it
  uint32_t netns_group_ = 0;
  uint32_t last_delete_ = kNone;  // the last request that only deletes links
};

}  // namespace netbatch
