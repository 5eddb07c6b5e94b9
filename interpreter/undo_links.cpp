// Links that were there before the run: made again where they were deleted, and set back.
#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>

#include "interpreter/link_state.hpp"
#include "interpreter/sentences.hpp"
#include "interpreter/undo.hpp"

namespace netbatch {

// Whether an earlier log of the run has made the link: then it will be deleted, and nothing is lost.
bool Undo::is_of_run(NsId ns, std::string_view name) const {
  if (logs_ == nullptr) return false;
  return std::any_of(logs_->begin(), logs_->end(), [&](const UndoLog& log) {
    return std::any_of(log.entries.begin(), log.entries.end(), [&](const UndoEntry& entry) {
      const bool main_end = entry.ns == ns && entry.name == name;
      const bool peer = entry.other_ns == ns && entry.other_name == name;
      return entry.kind == UndoKind::CreatedLink && entry.applied && (main_end || peer);
    });
  });
}

// The link was deleted where it had been moved to: it is made again where it came from, or came from there to here.
bool Undo::make_where_found(const UndoEntry& entry, const UndoLog& log) {
  if (lost_.empty() || lost_.erase({entry.other_ns, std::string(entry.other_name)}) == 0) return false;
  const auto found = std::find_if(log.entries.begin(), log.entries.end(), [&](const UndoEntry& each) {
    return each.has_state() && each.applied && each.ns == entry.ns && each.name == entry.name;
  });
  if (found == log.entries.end())
    lost_.emplace(entry.ns, entry.name);
  else
    make_again(entry.ns, log.states[found->state], log);
  return true;
}

// Where the run has moved a link that it found, and the name that it gave it.
Undo::Place Undo::place_now(const UndoEntry& state, const UndoLog& log) const {
  Place place{state.ns, std::string(state.name)};
  for (const UndoEntry& entry : log.entries) {
    const bool moves = entry.kind == UndoKind::Moved || entry.kind == UndoKind::Renamed;
    if (moves && entry.applied && !entry.ours && entry.ns == place.first && entry.name == place.second)
      place = {entry.other_ns, std::string(entry.other_name)};
  }
  return place;
}

// Each end names the other by its index. The other end is made where it was at that time.
Peer Undo::peer_of(NsId ns, const Message& was, const UndoLog& log) {
  Peer peer;
  const std::optional<Elsewhere> elsewhere = lower_elsewhere(was);
  const int index = elsewhere ? elsewhere->index : lower_in_namespace(was);
  for (const UndoEntry& entry : log.entries) {
    if (index == 0 || !entry.has_state()) continue;
    const Message& other = log.states[entry.state];
    const std::optional<Elsewhere> back = lower_elsewhere(other);
    if (link_index_of(other) != index || (back ? back->index : lower_in_namespace(other)) != link_index_of(was))
      continue;
    const Place place = place_now(entry, log);
    if ((place.first == ns) == elsewhere.has_value()) continue;
    peer.was = &other;
    peer.name = place.second;
    if (place.first == ns) continue;
    auto netns = transport_.netns(place.first, &peer.pid);
    if (!netns) return {};
    peer.netns = *netns;
  }
  return peer;
}

void Undo::make_again(NsId ns, const Message& was, const UndoLog& log) {
  const std::string name(link_name_of(was));
  if (transport_.link_index(ns, name)) return;  // as the other end of one that was made again
  const Peer peer = peer_of(ns, was, log);
  int error = EOPNOTSUPP;
  for (const bool same_index : {true, false}) {
    if (!put_link_again(buffer_, exchange_.next_sequence(), was, peer, same_index)) {
      buffer_.clear();
      break;
    }
    error = send(ns);
    if (error != EEXIST && error != EBUSY) break;  // another link has the index now
  }
  transport_.release();
  const bool lost_peer = error == EOPNOTSUPP && peer.was == nullptr && link_kind_of(was) == "veth";
  if (error != 0)
    problem(fmt::format("the link '{}'{} was deleted and could not be made again: {}", name, where(ns),
                        lost_peer ? "its other end was in a namespace that has no name" : errno_name(error)));
  else if (!is_of_run(ns, name))
    problem(fmt::format("the link '{}'{} was made again: its counters and learned state are new", name, where(ns)),
            false);
}

// A link after what it stands on, and a bridge after its ports: it takes its MAC address and MTU from them, unless it
// is given others. Of several states of one link, the oldest counts.
void Undo::restore_links(const UndoLog& log) {
  StatesLeft left;
  std::map<Former, std::vector<Former>> ports;
  for (size_t i = log.entries.size(); i-- > 0;) {
    const UndoEntry& entry = log.entries[i];
    if (!entry.has_state() || !entry.applied) continue;
    const Message& was = log.states[entry.state];
    const Former former{entry.ns, link_index_of(was)};
    if (left.insert_or_assign(former, &was).second && master_of(was) != 0)
      ports[{entry.ns, master_of(was)}].push_back(former);
  }
  auto restore = [&](auto& self, const Former& former) -> void {
    const auto place = left.find(former);
    if (place == left.end()) return;
    const Message& was = *place->second;
    left.erase(place);
    self(self, {former.first, lower_in_namespace(was)});
    for (const Former& port : ports[former]) self(self, port);
    restore_link(former.first, was, log);
  };
  // What was no port leaves its bridge before that is looked at.
  auto is_bridge = [&](const Former& former) {
    const auto place = left.find(former);
    return place != left.end() && link_kind_of(*place->second) == "bridge";
  };
  std::vector<Former> others;
  for (const auto& [former, was] : left)
    if (!is_bridge(former) && !is_bridge({former.first, lower_in_namespace(*was)})) others.push_back(former);
  for (const Former& each : others) restore(restore, each);
  while (!left.empty()) restore(restore, Former(left.begin()->first));
}

void Undo::restore_link(NsId ns, const Message& was, const UndoLog& log) {
  const std::string name(link_name_of(was));
  int error = correct_link(ns, was, name, false);
  if (error == ENODEV) {  // it went with one that was deleted
    make_again(ns, was, log);
    error = correct_link(ns, was, name, false);
    if (error == ENODEV) return;
  }
  if (error == 0) error = correct_link(ns, was, name, true);
  if (error != 0) problem(fmt::format("the link '{}'{} could not be set back: {}", name, where(ns), errno_name(error)));
}

int Undo::correct_link(NsId ns, const Message& was, const std::string& name, bool port_options) {
  const std::string_view view = name;
  std::vector<Message> now;
  if (const int error = transport_.read_links(ns, {&view, 1}, now); error != 0) return error;
  if (now.front().empty()) return ENODEV;
  const int index = link_index_of(now.front());
  touched_[ns].insert(index);
  index_[ns][link_index_of(was)] = index;
  if (!port_options)
    if (const int error = restore_names(ns, index, was, now.front()); error != 0) return error;
  if (!put_link_difference(buffer_, exchange_.next_sequence(), was, now.front(), port_options)) return 0;
  return send(ns);
}

int Undo::restore_names(NsId ns, int index, const Message& was, const Message& now) {
  for (const bool add : {false, true}) {
    const auto names = add ? names_missing(now, was) : names_missing(was, now);
    if (names.empty()) continue;
    const uint16_t flags = add ? NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND : 0;
    auto* header = static_cast<ifinfomsg*>(
        buffer_.begin(add ? RTM_NEWLINKPROP : RTM_DELLINKPROP, flags, exchange_.next_sequence(), sizeof(ifinfomsg)));
    header->ifi_index = index;
    const size_t list = buffer_.begin_nest(IFLA_PROP_LIST);
    for (const std::string& name : names) buffer_.put_string(IFLA_ALT_IFNAME, name);
    buffer_.end_nest(list);
    buffer_.end();
    if (const int error = send(ns); error != 0) return error;
  }
  return 0;
}

}  // namespace netbatch
