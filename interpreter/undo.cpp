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
    if (entry.has_state()) found_.insert({entry.ns, link_index_of(log.states[entry.state])});
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
