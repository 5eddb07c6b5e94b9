// Reading what a window will change, just before it is sent.
#include <linux/rtnetlink.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "interpreter/family_state.hpp"
#include "interpreter/link_state.hpp"
#include "interpreter/recorder.hpp"

namespace netbatch {
namespace {

// The links that change with the one below them. The kernel lists those of a kind without the cost of all others.
constexpr std::string_view kUpperKinds[] = {"vlan", "macvlan", "macvtap", "ipvlan", "ipvtap"};

// What may change with a port.
constexpr std::string_view kMasterKinds[] = {"bridge", "bond", "team", "vrf"};

bool is_upper(const Message& link) {
  return std::find(std::begin(kUpperKinds), std::end(kUpperKinds), link_kind_of(link)) != std::end(kUpperKinds);
}

}  // namespace

int Recorder::read_states() {
  int error = read_families();
  if (error == 0) error = read_links();
  if (error == 0) error = read_related();
  if (error == 0) error = read_masters();
  if (error == 0) error = read_peers();
  origins_.clear();
  deletes_ = false;
  return error;
}

int Recorder::read_families() {
  int failed = 0;
  for (const auto& [space, touched] : family_wants_) {
    const NsId ns = space;
    FamilyState state;
    state.touched = touched;
    const int error = read_family(transport_, ns, state);
    // What the run has set up has them from that.
    std::erase_if(state.addresses, [&](const Message& address) {
      return is_link_local(address) && raised_[ns].contains(address_link(address));
    });
    if (error == 0) log_.families.emplace(ns, std::move(state));
    if (failed == 0) failed = error;
  }
  family_wants_.clear();
  return failed;
}

int Recorder::read_links() {
  int failed = 0;
  for (size_t first = 0; first < wants_.size();) {
    size_t last = first;
    std::vector<std::string_view> names;
    for (; last < wants_.size() && wants_[last].ns == wants_[first].ns; ++last) names.push_back(wants_[last].name);
    std::vector<Message> found;
    stats_.lookups += names.size();
    int error = transport_.read_links(wants_[first].ns, names, found);
    if (error == 0) error = read_by_index({wants_.data() + first, names.size()}, found);
    for (size_t i = first; error == 0 && i < last; ++i) keep(wants_[i], found[i - first]);
    if (failed == 0) failed = error;
    first = last;
  }
  wants_.clear();
  return failed;
}

// `if7`, where no link has that name, is the link with index 7.
int Recorder::read_by_index(std::span<const Want> wants, std::vector<Message>& found) {
  std::vector<Message> links;
  for (size_t i = 0; i < wants.size(); ++i) {
    int index = 0;
    const std::string& name = wants[i].name;
    const bool creates = wants[i].entry != SIZE_MAX && log_.entries[wants[i].entry].kind == UndoKind::CreatedLink;
    if (creates || !found[i].empty() || !name.starts_with("if")) continue;
    const char* end = name.data() + name.size();
    if (const auto parsed = std::from_chars(name.data() + 2, end, index); parsed.ptr != end || index == 0) continue;
    if (links.empty())
      if (const int error = transport_.dump(wants[i].ns, RTM_GETLINK, links); error != 0) return error;
    for (const Message& link : links)
      if (link_index_of(link) == index) found[i] = link;
  }
  return 0;
}

void Recorder::keep(const Want& want, const Message& state) {
  UndoEntry* entry = want.entry == SIZE_MAX ? nullptr : &log_.entries[want.entry];
  if (state.empty()) {
    known_.erase({want.ns, want.name});
    if (entry != nullptr && entry->kind == UndoKind::DeletedLink) entry->applied = false;
    return;
  }
  if (ours_.contains(Key{want.ns, std::string(link_name_of(state))})) return;  // by an alternative name
  if (want.with_master && master_of(state) != 0) masters_[want.ns].insert(master_of(state));
  if (entry != nullptr && entry->kind == UndoKind::DeletedLink) {
    log_.states[entry->state] = settable_part(state);
    deleted_[want.ns].insert(link_index_of(state));
    if (const auto peer = lower_elsewhere(state); peer && link_kind_of(state) == "veth")
      far_peers_[want.ns].insert({peer->netns, peer->index});
    known_states_.insert({want.ns, link_index_of(state)});
    return;
  }
  if (entry != nullptr && !entry->takes_freed_name) entry->applied = false;
  if (want.with_upper != 0 && (want.with_upper == UINT32_MAX || mtu_of(state) > want.with_upper))
    lower_[want.ns].insert(link_index_of(state));
  if (want.raises && !is_up(state)) raised_[want.ns].insert(link_index_of(state));
  add_state(want.ns, state);
}

// Once for each link that was there before the run, where it was found.
void Recorder::add_state(NsId ns, const Message& state) {
  const Key key{ns, std::string(link_name_of(state))};
  if (is_our_namespace(ns) || ours_.contains(key) || arrived_.contains(key)) return;
  if (!known_states_.insert({ns, link_index_of(state)}).second) return;
  log_.states.push_back(settable_part(state));
  const size_t entry = log_.add(UndoKind::LinkState, ns, link_name_of(state));
  log_.entries[entry].state = static_cast<uint32_t>(log_.states.size() - 1);
}

// What goes or changes with the links of the window: peers, ports and links on top. Of a link that is deleted, all
// links of the namespace are looked at; else those of the kinds in question.
int Recorder::read_related() {
  int failed = 0;
  for (auto& [ns, indexes] : deleted_) lower_[ns].insert(indexes.begin(), indexes.end());
  for (auto& [ns, below] : lower_) {
    std::vector<Message> links;
    const bool all = deleted_.contains(ns);
    if (!all && without_upper_.contains(ns)) continue;
    const int error = all ? transport_.dump(ns, RTM_GETLINK, links) : transport_.dump_kinds(ns, kUpperKinds, links);
    if (failed == 0) failed = error;
    if (!all && error == 0 && links.empty()) without_upper_.insert(ns);
    add_related(ns, links, below, all);
  }
  if (!lower_.empty()) read_far_uppers();
  deleted_.clear();
  lower_.clear();
  return failed;
}

// What stands on links of the window in another namespace: such a link does not show what is on it. A namespace that
// cannot be read has nothing of that.
void Recorder::read_far_uppers() {
  for (NsId ns = 0; ns < transport_.namespace_count(); ++ns) {
    if (is_our_namespace(ns) || without_upper_.contains(ns)) continue;
    std::vector<Message> links;
    if (transport_.dump_kinds(ns, kUpperKinds, links) != 0) continue;
    if (links.empty()) without_upper_.insert(ns);
    std::set<int> far;
    for (const Message& link : links) {
      const auto lower = lower_elsewhere(link);
      const auto space = lower && is_upper(link) ? transport_.namespace_of(ns, lower->netns) : std::nullopt;
      const auto changed = space ? lower_.find(*space) : lower_.end();
      if (changed != lower_.end() && changed->second.contains(lower->index)) far.insert(link_index_of(link));
    }
    if (far.empty()) continue;
    add_related(ns, links, far, false);
    want_family(ns, FamilyState::kRoutes);
  }
}

// Of `links`, those in `below` and what stands on them. `all`: of every kind, and ports, too.
void Recorder::add_related(NsId ns, const std::vector<Message>& links, std::set<int>& below, bool all) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const Message& link : links) {
      const bool related = below.contains(lower_in_namespace(link)) && (all || is_upper(link));
      if (related && below.insert(link_index_of(link)).second) grows = true;
    }
  }
  for (const Message& link : links) {
    const bool related = below.contains(link_index_of(link)) || (all && below.contains(master_of(link)));
    if (related && all && master_of(link) != 0) masters_[ns].insert(master_of(link));
    if (related) add_state(ns, link);
  }
}

// A bridge's MTU and MAC address follow its ports'.
int Recorder::read_masters() {
  int failed = 0;
  for (auto& [space, indexes] : std::exchange(masters_, {})) {
    const NsId ns = space;
    if (std::all_of(indexes.begin(), indexes.end(), [&](int i) { return known_states_.contains({ns, i}); })) continue;
    std::vector<Message> links;
    const int error = transport_.dump_kinds(ns, kMasterKinds, links);
    if (failed == 0) failed = error;
    for (const Message& link : links)
      if (indexes.contains(link_index_of(link))) add_state(ns, link);
  }
  return failed;
}

// The other ends, in other namespaces, of veths that are deleted.
int Recorder::read_peers() {
  std::map<std::pair<NsId, int>, std::optional<NsId>> spaces;
  std::map<NsId, std::vector<Message>> links;
  int failed = 0;
  for (const auto& [from, peers] : std::exchange(far_peers_, {})) {
    for (const auto& [number, index] : peers) {
      auto [space, asked] = spaces.try_emplace({from, number});
      if (asked) space->second = transport_.namespace_of(from, number);
      if (!space->second || is_our_namespace(*space->second)) continue;
      const NsId ns = *space->second;
      auto [list, fresh] = links.try_emplace(ns);
      if (fresh && failed == 0) failed = transport_.dump(ns, RTM_GETLINK, list->second);
      want_family(ns, FamilyState::kRoutes);
      std::set<int> below{index};
      add_related(ns, list->second, below, true);
    }
  }
  const int error = read_families();
  return failed != 0 ? failed : error;
}

// `link set group N …` and `link del group N`.
std::vector<std::string> Recorder::group_members(const Operation& operation, std::span<const Attr> attrs) {
  std::vector<std::string> names;
  std::vector<Message> links;
  if (transport_.dump(operation.ns, RTM_GETLINK, links) != 0) return names;
  for (const Message& link : links)
    for (const Attr& attr : attrs)
      if (attr.row->option == Option::Group && attr.value.number == group_of(link))
        names.emplace_back(link_name_of(link));
  return names;
}

}  // namespace netbatch
