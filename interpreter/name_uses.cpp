#include "interpreter/name_uses.hpp"

#include <algorithm>

#include "interpreter/name_hash.hpp"

namespace netbatch {
namespace {

// Calls `each(ns, name, written)`; a link is written when it is made, set, renamed or deleted, not as a master or
// device.
template <class Each>
void for_each_name(const Operation& operation, const Operations& owner, Each&& each) {
  const auto attrs = owner.of(operation.attrs);
  const bool link = operation.object == Object::Link;
  const NsId target = link ? target_of(attrs, operation.ns) : operation.ns;
  if (!operation.name.empty()) each(operation.ns, operation.name, link);
  if (!operation.name.empty() && target != operation.ns) each(target, operation.name, true);
  if (!operation.peer_name.empty())
    each(target_of(owner.of(operation.peer_attrs), operation.ns), operation.peer_name, true);
  for (const Attr& attr : attrs) {
    if (attr.row->type == ValueType::Link) each(operation.ns, attr.value.text(), false);
    if (link && attr.row->option == Option::Name) each(target, attr.value.text(), true);
  }
}

// They take others along: a peer, what stands on them.
bool takes_others_along(const Operation& operation, const Operations& owner) {
  return operation.object == Object::Link &&
         (operation.verb == Verb::Delete ||
          (operation.verb == Verb::Set && target_of(owner.of(operation.attrs), operation.ns) != operation.ns));
}

}  // namespace

void NameUses::add(const Operation& operation, const Operations& owner) {
  for_each_name(operation, owner, [&](NsId ns, std::string_view name, bool written) {
    uses_.push_back({name_hash(ns, name), written});
  });
}

void NameUses::add_written(NsId ns, std::string_view name) { uses_.push_back({name_hash(ns, name), true}); }

bool NameUses::touches(const Operation& operation, const Operations& owner) const {
  if (uses_.empty()) return false;
  bool found = takes_others_along(operation, owner);
  for_each_name(operation, owner, [&](NsId ns, std::string_view name, bool written) {
    const uint64_t hash = name_hash(ns, name);
    found = found || std::any_of(uses_.begin(), uses_.end(),
                                 [&](const Use& use) { return use.hash == hash && (use.written || written); });
  });
  return found;
}

}  // namespace netbatch
