#include "interpreter/undo.hpp"

#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>

#include "interpreter/encode.hpp"
#include "interpreter/group_delete.hpp"
#include "interpreter/link_state.hpp"
#include "interpreter/sentences.hpp"

namespace netbatch {
namespace {

// Links in one RTM_DELLINK: the RTNL lock is held for about 0.17 ms a link.
constexpr size_t kDeleteChunk = 5000;

bool has_state(const UndoEntry& entry) {
  return entry.kind == UndoKind::LinkState || (entry.kind == UndoKind::DeletedLink && !entry.arrived);
}

}  // namespace

std::vector<std::string> Undo::run(UndoLog& log, UndoSink* sink) {
  problems_.clear();
  complete_ = true;
  moved_.clear();
  lost_.clear();
  touched_.clear();
  found_.clear();
  index_.clear();
  our_namespaces_.assign(namespaces_.size(), false);
  for (const UndoEntry& entry : log.entries)
    if (entry.kind == UndoKind::CreatedNetns && entry.applied) our_namespaces_[entry.ns] = true;
  for (const UndoEntry& entry : log.entries)
    if (has_state(entry)) found_.insert({entry.ns, link_index_of(log.states[entry.state])});
  structure(log, sink);
  read_late_families(log);
  restore_links(log);
  restore_families(log.families);
  restore_families(late_families_);
  for (const NsId ns : netns_to_delete_) delete_netns(ns);
  netns_to_delete_.clear();
  log = {};
  if (sink != nullptr && complete_) sink->undone();
  return std::move(problems_);
}

std::vector<std::string> Undo::run(UndoLogs& logs, UndoSink* sink) {
  std::vector<std::string> all;
  bool complete = true;
  logs_ = &logs;
  while (!logs.empty()) {
    for (std::string& text : run(logs.back(), sink))
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
    logs.pop_back();
    complete = complete && complete_;
    if (!complete) sink = nullptr;  // it goes on where it is: with the log that is not taken back altogether
  }
  logs_ = nullptr;
  complete_ = complete;
  return all;
}

// What exists, and under which name: links and namespaces. Links of the run are deleted together, in any order, up to
// the next entry that needs their names.
void Undo::structure(const UndoLog& log, UndoSink* sink) {
  auto settle = [&](size_t from) {
    delete_links();
    if (sink != nullptr) sink->undone_structure(from);
  };
  for (size_t i = log.entries.size(); i-- > 0;) {
    const UndoEntry& entry = log.entries[i];
    if (!entry.applied) continue;
    switch (entry.kind) {
      case UndoKind::CreatedLink:
        created_link(entry);
        break;
      case UndoKind::CreatedNetns:
        netns_to_delete_.push_back(entry.ns);
        break;
      case UndoKind::Moved:
      case UndoKind::Renamed:
        if (!entry.ours) free_name(entry);
        if (!entry.ours) settle(i + 1);
        if (!make_where_found(entry, log)) move_back(entry);
        if (!entry.ours && sink != nullptr) sink->undone_structure(i);
        break;
      case UndoKind::DeletedLink:
        settle(i + 1);
        if (entry.arrived)
          lost_.emplace(entry.ns, entry.name);
        else
          make_again(entry.ns, log.states[entry.state], log);
        if (sink != nullptr) sink->undone_structure(i);
        break;
      case UndoKind::DeletedNetns:
        settle(i + 1);
        restore_netns(entry.ns);
        if (sink != nullptr) sink->undone_structure(i);
        break;
      case UndoKind::LinkState:
        break;
    }
  }
  settle(0);
}

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

void Undo::delete_netns(NsId ns) {
  const int error = transport_.delete_netns(ns, nullptr);
  if (error != 0 && error != ENOENT)
    problem(fmt::format("the namespace '{}' could not be deleted: {}", namespaces_.name(ns), errno_name(error)));
}

// One of the run that has the name now goes first.
void Undo::restore_netns(NsId ns) {
  if (std::erase(netns_to_delete_, ns) != 0) delete_netns(ns);
  if (transport_.restore_netns(ns) != 0)
    problem(fmt::format("the namespace '{}' was deleted and cannot be made again with what was in it",
                        namespaces_.name(ns)),
            false);
}

// A link in a namespace that will be deleted goes with it, but later, and with what it holds elsewhere: its peer, or
// the VNI of a vxlan that was made outside. Then it is deleted here, or its peer is.
void Undo::created_link(const UndoEntry& entry) {
  auto place_of = [&](NsId ns, std::string_view name) {
    Place place{ns, std::string(name)};
    auto moved = moved_.find(place);
    if (moved == moved_.end()) return place;
    place = moved->second;
    moved_.erase(moved);
    return place;
  };
  Place place = place_of(entry.ns, entry.name);
  if (place.second.empty()) return;
  const bool from_outside = place.first != entry.ns || entry.other_ns != entry.ns;
  if (our_namespaces_[place.first] && !entry.other_name.empty())
    place = place_of(entry.other_ns, entry.other_name);
  else if (our_namespaces_[place.first] && !from_outside)
    return;
  if (!our_namespaces_[place.first] || entry.other_name.empty())
    to_delete_[place.first].push_back(std::move(place.second));
}

// A link of the run may have taken the name that a link is to have again: it is deleted before its turn.
void Undo::free_name(const UndoEntry& entry) {
  const Place wanted{entry.ns, std::string(entry.name)};
  for (auto& [made_as, now] : moved_) {
    if (now != wanted) continue;
    to_delete_[now.first].push_back(now.second);
    now.second.clear();  // its turn finds nothing
  }
}

void Undo::delete_links() {
  for (const auto& [ns, names] : to_delete_) {
    std::vector<std::string_view> views(names.begin(), names.end());
    std::vector<LinkInfo> links;
    int error = transport_.find_links(ns, views, links);
    std::erase_if(links, [&, at = ns](const LinkInfo& link) {
      return link.index == 0 || found_.contains({at, link.index});
    });
    for (size_t i = 0; i < links.size() && error == 0; i += kDeleteChunk)
      error = delete_together(exchange_, transport_, ns,
                              std::span(links).subspan(i, std::min(kDeleteChunk, links.size() - i)));
    if (error != 0)
      problem(
          fmt::format("{} links of this run{} could not be deleted: {}", links.size(), where(ns), errno_name(error)));
  }
  to_delete_.clear();
}

void Undo::move_back(const UndoEntry& entry) {
  Place from{entry.other_ns, std::string(entry.other_name)};
  if (entry.ours) {  // it will be deleted where it is
    auto further = moved_.find(from);
    const Place now = further == moved_.end() ? from : further->second;
    if (further != moved_.end()) moved_.erase(further);
    moved_[{entry.ns, std::string(entry.name)}] = now;
    return;
  }
  auto index = transport_.link_index(from.first, from.second);
  // It has been moved back already, or was never moved: what a journal says may not have happened.
  if (!index && index.error() == ENODEV && transport_.link_index(entry.ns, entry.name)) return;
  int error = index ? 0 : index.error();
  if (error == 0) {
    auto* header = static_cast<ifinfomsg*>(buffer_.begin(RTM_SETLINK, 0, exchange_.next_sequence(), sizeof(ifinfomsg)));
    header->ifi_index = *index;
    if (entry.ns != entry.other_ns) {
      int pid = 0;
      auto target = transport_.netns(entry.ns, &pid);
      error = target ? 0 : target.error();
      if (target) put_netns(buffer_, *target, pid);
    }
    if (entry.name != entry.other_name) buffer_.put_string(IFLA_IFNAME, entry.name);
    buffer_.end();
    if (error == 0) error = send(entry.other_ns);
    buffer_.clear();
    transport_.release();
  }
  if (error != 0)
    problem(fmt::format("the link '{}'{} could not become '{}'{} again: {}", entry.other_name, where(entry.other_ns),
                        entry.name, where(entry.ns), errno_name(error)));
}

// The link was deleted where it had been moved to: it is made again where it came from, or came from there to here.
bool Undo::make_where_found(const UndoEntry& entry, const UndoLog& log) {
  if (lost_.empty() || lost_.erase({entry.other_ns, std::string(entry.other_name)}) == 0) return false;
  const auto found = std::find_if(log.entries.begin(), log.entries.end(), [&](const UndoEntry& each) {
    return has_state(each) && each.applied && each.ns == entry.ns && each.name == entry.name;
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
    if (index == 0 || !has_state(entry)) continue;
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
    if (!has_state(entry) || !entry.applied) continue;
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

// Where nothing of the run could take an address away, setting a link down again can: an IPv6 address that it was given
// while it was down. So they are read just before. Link-local ones are the kernel's own.
void Undo::read_late_families(const UndoLog& log) {
  late_families_.clear();
  for (const UndoEntry& entry : log.entries) {
    if (entry.kind != UndoKind::LinkState || our_namespaces_[entry.ns] || log.families.contains(entry.ns)) continue;
    auto [place, added] = late_families_.try_emplace(entry.ns);
    if (!added || transport_.dump(entry.ns, RTM_GETADDR, place->second.addresses) != 0) continue;
    std::erase_if(place->second.addresses, is_link_local);
    transport_.dump(entry.ns, RTM_GETNEIGH, place->second.neighbours);
    transport_.dump(entry.ns, RTM_GETROUTE, place->second.routes);
  }
}

// Taking the last address away takes routes and neighbours along, and an address comes with a route: so there is
// another look after the corrections.
void Undo::restore_families(const std::map<NsId, FamilyState>& families) {
  constexpr int kRounds = 3;
  for (const auto& [ns, was] : families) {
    if (our_namespaces_[ns]) continue;
    Corrected corrected{.sent = 1};
    for (int round = 0; round < kRounds && corrected.sent > 0 && corrected.error == 0; ++round) {
      corrected = correct_families(ns, was, round > 0);
      if (round == 0 && was.routes_touched()) corrected.sent = 1;
    }
    if (corrected.error != 0)
      problem(fmt::format("{} addresses, routes or neighbours{} could not be restored: {}", corrected.failed, where(ns),
                          errno_name(corrected.error)));
  }
}

Undo::Corrected Undo::correct_families(NsId ns, const FamilyState& was, bool addresses_are_back) {
  Corrected corrected;
  FamilyState now;
  corrected.error = read_family(transport_, ns, now);
  if (corrected.error != 0) return corrected;
  for (const Correction& correction : corrections(was, now, touched_[ns], index_[ns], addresses_are_back)) {
    void* body = buffer_.begin(correction.type, correction.flags, exchange_.next_sequence(), 0);
    if (body == nullptr) continue;
    std::memcpy(buffer_.raw(correction.message.size()), correction.message.data(), correction.message.size());
    buffer_.end();
    ++corrected.sent;
    const int error = send(ns);
    const bool is_delete = correction.flags == 0;
    const bool gone = is_delete && (error == EADDRNOTAVAIL || error == ESRCH || error == ENOENT);
    if (error == 0 || gone || error == EEXIST) continue;
    corrected.error = error;
    ++corrected.failed;
  }
  return corrected;
}

// Sends the message in the buffer; its errno.
int Undo::send(NsId ns) {
  Answer answer;
  exchange_.run(ns, buffer_, {&answer, 1});
  return answer.error;
}

std::string Undo::where(NsId ns) const {
  return ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces_.name(ns));
}

}  // namespace netbatch
