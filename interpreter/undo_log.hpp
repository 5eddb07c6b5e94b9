// What a run has done, as it must be known to take it back: for what the run made, its name; for what was there before,
// its state before the run first touched it.
#pragma once

#include <deque>
#include <map>

#include "interpreter/operation.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

enum class UndoKind : uint8_t {
  CreatedLink,   // delete it; `other` is its veth peer, if any
  CreatedNetns,  // delete it
  LinkState,     // set the link's attributes, addresses, routes and neighbours back
  Moved,         // from (ns, name) to `other`: move it back
  Renamed,       // likewise within a namespace
  DeletedLink,   // make it again, as well as possible
  DeletedNetns,  // cannot be made again
};

struct UndoEntry {
  UndoKind kind = UndoKind::CreatedLink;
  bool applied = true;            // false: the kernel refused what it stands for
  bool ours = false;              // Moved, Renamed: of a link that the run made
  bool arrived = false;           // DeletedLink: the run had moved it there; its state is that of where it was found
  bool takes_freed_name = false;  // CreatedLink: the name was made free in the same window, or may have been
  NsId ns = 0;
  NsId other_ns = 0;
  std::string_view name;  // in UndoLog::text
  std::string_view other_name;
  uint32_t state = 0;  // LinkState, DeletedLink: UndoLog::states

  // Whether `state` is that of a link where the run found it.
  bool has_state() const { return kind == UndoKind::LinkState || (kind == UndoKind::DeletedLink && !arrived); }
};

// Addresses, routes and neighbours of a namespace before the run touched any: replies of dumps.
struct FamilyState {
  std::vector<Message> addresses;
  std::vector<Message> routes;
  std::vector<Message> neighbours;
  // What statements are about: a route, perhaps one without a device; a neighbour, perhaps one that the kernel keeps by
  // itself from then on.
  static constexpr uint8_t kRoutes = 1;
  static constexpr uint8_t kNeighbours = 2;
  uint8_t touched = 0;
  bool routes_touched() const { return (touched & kRoutes) != 0; }
  bool neighbours_touched() const { return (touched & kNeighbours) != 0; }
};

struct UndoLog {
  std::vector<UndoEntry> entries;
  std::deque<Message> states;
  std::map<NsId, FamilyState> families;
  Arena text;

  size_t add(UndoKind kind, NsId ns, std::string_view name, NsId other_ns = 0, std::string_view other_name = {}) {
    entries.push_back(
        {.kind = kind, .ns = ns, .other_ns = other_ns, .name = text.copy(name), .other_name = text.copy(other_name)});
    return entries.size() - 1;
  }
  bool empty() const { return entries.empty() && families.empty(); }
};

// Each on top of those before it.
using UndoLogs = std::deque<UndoLog>;

}  // namespace netbatch
