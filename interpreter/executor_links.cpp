// Links that are deleted together, and links whose names netbatch picks.
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "interpreter/executor.hpp"
#include "interpreter/kinds.hpp"

namespace netbatch {
namespace {

// Links in one RTM_DELLINK: its wait for RCU is paid once, and the RTNL lock is held for about 0.25 ms a link.
constexpr size_t kDeleteChunk = 1000;

// A group that nobody uses: large, random, not 0.
uint32_t fresh_group() {
  static std::mt19937 random{std::random_device{}()};
  return 0x40000000u | (random() & 0x3fffffffu);
}

}  // namespace

// Statements in a row that delete links by name. Those that exist are tagged and deleted in chunks; one that does not
// is run by itself, in its place.
void Executor::delete_group(const Request& request) {
  flush();
  deletes_.look_up(transport_, stats_);
  const auto sources = plan_->sources_of(request);
  std::vector<std::string_view> names;
  for (const uint32_t i : sources) names.push_back(operations_->list[i].name);
  std::vector<LinkInfo> links;
  stats_.lookups += names.size();
  if (transport_.find_links(request.ns, names, links) != 0) return run_plainly(request);
  for (size_t first = 0; first < sources.size() && !stopped_;) {
    size_t last = first;
    while (last < sources.size() && links[last].index != 0 && last - first < kDeleteChunk) ++last;
    if (last - first > 1) {
      delete_tagged(sources.subspan(first, last - first), std::span(links).subspan(first, last - first));
    } else {
      last = first + 1;
      run_single(nullptr, sources[first]);
      flush();
    }
    first = last;
  }
}

void Executor::delete_tagged(std::span<const uint32_t> sources, std::span<const LinkInfo> links) {
  const NsId ns = operations_->list[sources.front()].ns;
  const std::vector<uint32_t> groups(links.size(), fresh_group());
  int error = tag(ns, links, groups);
  if (error == 0) error = delete_by_group(ns, groups.front());
  cache_.drop_all();
  free_names_.forget();
  if (error == 0 || error == ENODEV) {  // ENODEV: an earlier chunk took the last of them along
    for (const uint32_t i : sources) outcomes_->of[i] = Outcome::Done;
    return;
  }
  // Nothing was deleted. Those that remain get their groups back; then one by one.
  std::vector<uint32_t> old;
  for (const LinkInfo& link : links) old.push_back(link.group);
  tag(ns, links, old);
  for (const uint32_t i : sources) {
    if (stopped_) return;
    ++stats_.plain;
    run_single(nullptr, i);
    flush();
  }
}

// RTM_SETLINK with IFLA_GROUP for each link; the first error other than ENODEV, which an earlier chunk explains.
int Executor::tag(NsId ns, std::span<const LinkInfo> links, std::span<const uint32_t> groups) {
  int failed = 0;
  auto limit = transport_.window(ns);
  const size_t window = std::max<size_t>(1, limit ? *limit : 1);
  for (size_t first = 0; first < links.size(); first += window) {
    const size_t count = std::min(window, links.size() - first);
    std::vector<Pending> pending(count);
    window_ns_ = ns;
    window_first_ = sequence_ + 1;
    for (size_t i = first; i < first + count; ++i) {
      auto* header = static_cast<ifinfomsg*>(buffer_.begin(RTM_SETLINK, 0, ++sequence_, sizeof(ifinfomsg)));
      header->ifi_index = links[i].index;
      buffer_.put_u32(IFLA_GROUP, groups[i]);
      buffer_.end();
    }
    transmit(pending);
    buffer_.clear();
    for (const Pending& each : pending)
      if (each.error != 0 && each.error != ENODEV && failed == 0) failed = each.error;
  }
  return failed;
}

int Executor::delete_by_group(NsId ns, uint32_t group) {
  buffer_.begin(RTM_DELLINK, 0, ++sequence_, sizeof(ifinfomsg));
  buffer_.put_u32(IFLA_GROUP, group);
  buffer_.end();
  return send_one(ns);
}

bool needs_name(const Operation& operation) {
  if (operation.kind == nullptr) return false;
  return operation.name.empty() || (operation.kind->has_peer && operation.peer_name.empty());
}

// The kernel names a veth peer before the main end, so the peer gets the lower number.
void Executor::add_unnamed(const Request* request, uint32_t index) {
  flush();
  if (stopped_) return;
  Operation& named = named_.emplace_back(operations_->list[index]);
  auto take = [&](std::string_view& name, AttrRange attrs) {
    NsId ns = named.ns;
    for (const Attr& attr : operations_->of(attrs))
      if (attr.row->option == Option::Netns) ns = static_cast<NsId>(attr.value.number);
    auto identity = transport_.identity(ns);
    if (!name.empty() || !identity) return;
    name = names_.copy(free_names_.take(transport_, ns, *identity, named.kind->name));
  };
  if (named.kind->has_peer) {
    take(named.peer_name, named.peer_attrs);
    named.has_peer = true;
  }
  take(named.name, named.attrs);
  append({.request = request, .source = index, .operation = &named, .owner = operations_});
}

}  // namespace netbatch
