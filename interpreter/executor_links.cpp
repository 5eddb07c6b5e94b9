// Links that are deleted together, and links whose names netbatch picks.
#include <algorithm>

#include "interpreter/executor.hpp"
#include "interpreter/group_delete.hpp"
#include "interpreter/kinds.hpp"

namespace netbatch {
namespace {

// Links in one RTM_DELLINK: its wait for RCU is paid once, and the RTNL lock is held for about 0.25 ms a link.
constexpr size_t kDeleteChunk = 1000;

}  // namespace

// Statements in a row that delete links by name. Those that exist are tagged and deleted in chunks; one that does not
// is run by itself, in its place.
void Executor::delete_group(const Request& request) {
  flush();
  const auto sources = plan_->sources_of(request);
  std::vector<std::string_view> names;
  for (const uint32_t i : sources) names.push_back(operations_->list[i].name);
  std::vector<LinkInfo> links;
  stats_.lookups += names.size();
  if (transport_.find_links(request.ns, names, links) != 0) return run_plainly(sources);
  deletes_.look_up(transport_, stats_, sources, links);
  if (policy_ == Policy::Rollback) refuse_missing(sources, links);
  for (size_t first = 0; first < sources.size() && !stopped_;) {
    size_t last = first;
    while (last < sources.size() && links[last].index != 0) ++last;
    if (last - first > 1) {
      delete_present(sources.subspan(first, last - first), std::span(links).subspan(first, last - first));
    } else {
      last = first + 1;
      run_single(nullptr, sources[first]);
      flush();
    }
    first = last;
  }
}

// Where nothing is to remain of a run that fails, a link that is not there is found out before the others are deleted:
// they would have to be made again.
void Executor::refuse_missing(std::span<const uint32_t> sources, std::span<const LinkInfo> links) {
  for (size_t i = 0; i < sources.size() && !stopped_; ++i) {
    if (links[i].index != 0 || deletes_.tolerates(sources[i], *outcomes_)) continue;
    run_single(nullptr, sources[i]);
    flush();
    if (stopped_) foreseen_ = sources.first(i);
  }
}

// In chunks, for all of which what hangs on the links is read at once, by a dump. A chunk that is refused as a whole is
// run plainly.
void Executor::delete_present(std::span<const uint32_t> sources, std::span<const LinkInfo> links) {
  while (!sources.empty() && !is_interrupted()) {
    const size_t noted = log_size();
    if (records()) {
      for (const uint32_t i : sources) recorder_->note(operations_->list[i], *operations_);
      if (const int error = record_ahead(); error != 0)
        return fail(sources.front(), error, operations_->list[sources.front()].span);
    }
    size_t deleted = 0;
    size_t count = std::min(kDeleteChunk, sources.size());
    while (count != 0 && delete_together(sources.subspan(deleted, count), links.subspan(deleted, count))) {
      deleted += count;
      count = is_interrupted() ? 0 : std::min(kDeleteChunk, sources.size() - deleted);
    }
    if (deleted != 0) checkpoint(noted);
    run_plainly(sources.subspan(deleted, count));
    sources = sources.subspan(deleted + count);
    links = links.subspan(deleted + count);
  }
}

bool Executor::delete_together(std::span<const uint32_t> sources, std::span<const LinkInfo> links) {
  highest_sent_ = std::max(highest_sent_, sources.back());
  const int error = netbatch::delete_together(exchange_, transport_, operations_->list[sources.front()].ns, links);
  forget_all_names();
  if (error != 0) return false;
  for (const uint32_t i : sources) done(i);
  show_progress();
  return true;
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
    const NsId ns = target_of(operations_->of(attrs), named.ns);
    auto identity = transport_.identity(ns);
    if (!name.empty() || !identity) return;
    name = names_.copy(free_names_.take(transport_, ns, *identity, named.kind->name));
  };
  if (named.kind->has_peer) {
    take(named.peer_name, named.peer_attrs);
    named.has_peer = true;
  }
  take(named.name, named.attrs);
  append({.request = request, .source = index, .last_source = index, .operation = &named, .owner = operations_});
}

}  // namespace netbatch
