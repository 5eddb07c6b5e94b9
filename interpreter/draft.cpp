#include "interpreter/draft.hpp"

#include <algorithm>

namespace netbatch {
namespace {

// Items of `items` by their request, stable; `first[r]` is where those of request r begin.
template <class Item>
std::vector<uint32_t> sort_by_request(std::vector<Item>& items, size_t request_count) {
  std::vector<uint32_t> first(request_count + 1, 0);
  for (const Item& item : items) ++first[item.request + 1];
  for (size_t i = 1; i <= request_count; ++i) first[i] += first[i - 1];
  std::vector<Item> sorted(items.size());
  std::vector<uint32_t> place(first.begin(), first.end());
  for (const Item& item : items) sorted[place[item.request]++] = item;
  items = std::move(sorted);
  return first;
}

AttrRange append(std::vector<Attr>& all, const std::vector<Attr>& attrs) {
  const AttrRange range{static_cast<uint32_t>(all.size()), static_cast<uint32_t>(attrs.size())};
  all.insert(all.end(), attrs.begin(), attrs.end());
  return range;
}

// The last value of an option counts.
void put(std::vector<Attr>& attrs, const Attr& attr) {
  auto same = std::find_if(attrs.begin(), attrs.end(), [&](const Attr& other) {
    return attr.row->option != Option::Other && other.row->option == attr.row->option &&
           other.row->fixed == attr.row->fixed;
  });
  if (same != attrs.end())
    *same = attr;
  else
    attrs.push_back(attr);
}

}  // namespace

uint32_t Draft::add_group(NsId ns) {
  groups_.push_back({ns});
  return group_count() - 1;
}

uint32_t Draft::add_request(uint32_t group, NsId ns) {
  const auto id = static_cast<uint32_t>(requests_.size());
  DraftRequest& request = requests_.emplace_back();
  request.group = group;
  request.ns = ns;
  DraftGroup& place = groups_[group];
  if (place.tail == kNone)
    place.head = id;
  else
    requests_[place.tail].next = id;
  place.tail = id;
  ++place.count;
  return id;
}

void Draft::add_source(uint32_t request, uint32_t operation, End end, Part part) {
  sources_.push_back({request, operation, end, part});
}

Plan Draft::finish() {
  Plan plan;
  const std::vector<uint32_t> first_source = sort_by_request(sources_, requests_.size());
  const std::vector<uint32_t> first_absent = sort_by_request(absent_, requests_.size());
  plan.requests.reserve(requests_.size());
  plan.sources.reserve(sources_.size());
  for (const DraftGroup& group : groups_) {
    if (group.count == 0) continue;
    plan.groups.push_back({group.ns, static_cast<uint32_t>(plan.requests.size()), group.count});
    for (uint32_t id = group.head; id != kNone; id = requests_[id].next) {
      const std::span sources(sources_.data() + first_source[id], first_source[id + 1] - first_source[id]);
      merge(requests_[id], sources, plan);
      Request& request = plan.requests.back();
      request.first_absent = static_cast<uint32_t>(plan.absent.size());
      request.absent_count = first_absent[id + 1] - first_absent[id];
      for (uint32_t i = first_absent[id]; i < first_absent[id + 1]; ++i) plan.absent.push_back(absent_[i].name);
    }
  }
  return plan;
}

void Draft::merge(const DraftRequest& draft, std::span<const Source> sources, Plan& plan) {
  Request& request = plan.requests.emplace_back();
  request.ns = draft.ns;
  request.kind = draft.kind;
  request.first_source = static_cast<uint32_t>(plan.sources.size());
  request.source_count = static_cast<uint32_t>(sources.size());
  for (const Source& source : sources) plan.sources.push_back(source.operation);
  request.operation = sources.front().operation;
  if (draft.kind == RequestKind::DeleteGroup) return;
  if (sources.size() == 1 && sources.front().part == Part::All) return;

  Operation merged = operations_.list[sources.front().operation];
  if (sources.front().part == Part::OnlyUp) {
    Operation up;
    up.verb = Verb::Set;
    up.ns = draft.ns;
    up.span = merged.span;
    up.name = draft.name;
    up.name_span = merged.name_span;
    merged = up;
  }
  std::vector<Attr> attrs[2];
  for (const Source& source : sources) take(source, &source == sources.data(), merged, attrs);
  merged.attrs = append(plan.merged.attrs, attrs[0]);
  merged.peer_attrs = append(plan.merged.attrs, attrs[1]);
  request.kind = RequestKind::Fused;
  request.operation = static_cast<uint32_t>(plan.merged.list.size());
  plan.merged.list.push_back(merged);
}

void Draft::take(const Source& source, bool base, Operation& merged, std::vector<Attr> (&attrs)[2]) {
  const Operation& operation = operations_.list[source.operation];
  const bool creates = base && merged.verb == Verb::Add;
  for (const Attr& attr : operations_.of(operation.attrs)) {
    const Option option = attr.row->option;
    if (source.part != Part::All && (option == Option::Up) != (source.part == Part::OnlyUp)) continue;
    if (creates) {
      attrs[0].push_back(attr);
    } else if (option == Option::Name && merged.verb == Verb::Add) {
      (source.end == End::Main ? merged.name : merged.peer_name) = attr.value.text();
      (source.end == End::Main ? merged.name_span : merged.peer_name_span) = attr.span;
    } else {
      put(attrs[source.end == End::Peer], attr);
    }
  }
  if (creates)
    for (const Attr& attr : operations_.of(operation.peer_attrs)) attrs[1].push_back(attr);
}

}  // namespace netbatch
