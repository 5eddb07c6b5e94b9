// Names of links: what they mean now, which must be free, and where in the script they are.
#include <algorithm>
#include <cerrno>

#include "interpreter/executor.hpp"

namespace netbatch {

// Names that the statements would have used for a moment must be free, as they would have had to be. False when one is
// not: then nothing of the window was sent, and the requests at fault are marked.
bool Executor::names_are_absent(std::vector<Pending>& window) {
  std::vector<std::string_view> names;
  std::vector<Pending*> owners;
  std::vector<LinkInfo> found;
  bool absent = true;
  NsId ns = 0;
  auto probe = [&] {
    stats_.lookups += names.size();
    if (!names.empty() && transport_.find_links(ns, names, found) == 0) {
      for (size_t i = 0; i < names.size(); ++i) {
        if (found[i].index == 0) continue;
        owners[i]->refused = true;
        owners[i]->answer = {Answer::State::Answered, EEXIST};
        absent = false;
      }
    }
    names.clear();
    owners.clear();
  };
  for (Pending& pending : window) {
    if (pending.request == nullptr) continue;
    for (const AbsentName& name : plan_->absent_of(*pending.request)) {
      if (name.ns != ns) probe();
      ns = name.ns;
      names.push_back(name.name);
      owners.push_back(&pending);
    }
  }
  probe();
  return absent;
}

// What the operation may change the meaning of: DESIGN section 3, "Names".
void Executor::forget_names(const Operation& operation, const Operations& owner) {
  if (operation.object != Object::Link) return;
  auto drop = [&](NsId ns, std::string_view name) {
    if (auto identity = transport_.identity(ns)) cache_.drop(*identity, name);
  };
  const auto attrs = owner.of(operation.attrs);
  if (operation.verb == Verb::Add || operation.verb == Verb::Replace) {
    drop(target_of(attrs, operation.ns), operation.name);
    if (operation.has_peer) drop(target_of(owner.of(operation.peer_attrs), operation.ns), operation.peer_name);
    return;
  }
  const bool moves =
      std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) { return attr.row->option == Option::Netns; });
  if (operation.verb != Verb::Set || moves) return cache_.drop_all();
  for (const Attr& attr : attrs) {
    if (attr.row->option != Option::Name) continue;
    drop(operation.ns, operation.name);
    drop(operation.ns, attr.value.text());
  }
}

void Executor::forget_all_names() {
  cache_.drop_all();
  free_names_.forget();
}

netlink::Result<int> Executor::link(NsId ns, std::string_view name) {
  using Index = netlink::Result<int>;
  auto identity = transport_.identity(ns);
  if (!identity) return Index::failure(identity.error());
  if (const int index = cache_.find(*identity, name); index != 0) {
    used_cache_.push_back({ns, name, index});
    return index;
  }
  if (window_changes_names_) return Index::failure(EAGAIN);  // the name may be in the window
  ++stats_.lookups;
  auto index = transport_.link_index(ns, name);
  if (index) cache_.insert(*identity, name, *index);
  return index;
}

netlink::Result<int> Executor::netns(NsId ns, int* pid) { return transport_.netns(ns, pid); }

Span Executor::operand_at(const Pending& pending) {
  const Span statement = operations_->list[pending.source].span;
  const uint32_t offset = pending.answer.offset;
  if (offset == 0) return statement;
  std::vector<Mark> marks;
  netlink::MessageBuffer scratch(buffer_.capacity());
  if (encode(*pending.operation, *pending.owner, *this, {.sequence = 0, .marks = &marks}, scratch)) return statement;
  Span span = statement;
  size_t smallest = SIZE_MAX;
  for (const Mark& mark : marks) {
    if (offset < mark.begin || offset >= mark.end || mark.end - mark.begin >= smallest) continue;
    smallest = mark.end - mark.begin;
    span = mark.span;
  }
  return span;
}

}  // namespace netbatch
