#include "interpreter/delete_history.hpp"

#include <algorithm>

namespace netbatch {

void DeleteHistory::begin(const Operations& operations) {
  operations_ = &operations;
  looked_up_ = false;
  existed_.clear();
}

bool DeleteHistory::deletes(uint32_t index) const {
  const Operation& operation = operations_->list[index];
  return operation.object == Object::Link && operation.verb == Verb::Delete && !operation.name.empty();
}

void DeleteHistory::look_up(Transport& transport, Stats& stats, std::span<const uint32_t> known,
                            std::span<const LinkInfo> found_already) {
  if (looked_up_) return;
  looked_up_ = true;
  existed_.assign(operations_->list.size(), false);
  std::vector<bool> told(operations_->list.size());
  for (size_t i = 0; i < known.size(); ++i) {
    told[known[i]] = true;
    existed_[known[i]] = found_already[i].index != 0;
  }
  std::unordered_map<NsId, std::vector<uint32_t>> by_namespace;
  for (uint32_t i = 0; i < operations_->list.size(); ++i)
    if (deletes(i) && !told[i]) by_namespace[operations_->list[i].ns].push_back(i);
  for (const auto& [ns, indices] : by_namespace) {
    std::vector<std::string_view> names;
    std::vector<LinkInfo> found;
    for (const uint32_t i : indices) names.push_back(operations_->list[i].name);
    stats.lookups += names.size();
    if (transport.find_links(ns, names, found) != 0) continue;
    for (size_t i = 0; i < indices.size(); ++i) existed_[indices[i]] = found[i].index != 0;
  }
}

bool DeleteHistory::tolerates(uint32_t index, const Outcomes& outcomes) {
  if (!deletes(index)) return false;
  const Operation& gone = operations_->list[index];
  bool exists = index < existed_.size() && existed_[index];
  bool something_was_deleted = false;
  for (uint32_t i = 0; i < index; ++i) {
    if (outcomes.of[i] != Outcome::Done || operations_->list[i].object != Object::Link) continue;
    something_was_deleted = something_was_deleted || deletes(i);
    exists = exists_after(operations_->list[i], gone, exists);
  }
  return exists && something_was_deleted;
}

// Whether there is a link of the name that `gone` deletes after `operation`, if nothing but what it says happened.
bool DeleteHistory::exists_after(const Operation& operation, const Operation& gone, bool exists) const {
  const auto attrs = operations_->of(operation.attrs);
  auto is_it = [&](std::string_view name, NsId ns) { return name == gone.name && ns == gone.ns; };
  auto any = [&](Option option, auto&& fits) {
    return std::any_of(attrs.begin(), attrs.end(),
                       [&](const Attr& attr) { return attr.row->option == option && fits(attr); });
  };
  if (operation.verb == Verb::AddName || operation.verb == Verb::DeleteName) {
    const bool named =
        operation.ns == gone.ns && any(Option::Other, [&](const Attr& attr) { return attr.value.text() == gone.name; });
    return named ? operation.verb == Verb::AddName : exists;
  }
  if (operation.verb == Verb::Delete) return exists && !is_it(operation.name, operation.ns);
  std::string_view name = operation.name;
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Name) name = attr.value.text();
  const NsId ns = target_of(attrs, operation.ns);
  if (is_it(name, ns)) return true;
  if (operation.has_peer && is_it(operation.peer_name, target_of(operations_->of(operation.peer_attrs), operation.ns)))
    return true;
  return exists && !(operation.verb == Verb::Set && is_it(operation.name, operation.ns));
}

}  // namespace netbatch
