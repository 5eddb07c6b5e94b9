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

void DeleteHistory::look_up(Transport& transport, Stats& stats) {
  if (looked_up_) return;
  looked_up_ = true;
  existed_.assign(operations_->list.size(), false);
  std::unordered_map<NsId, std::vector<uint32_t>> by_namespace;
  for (uint32_t i = 0; i < operations_->list.size(); ++i)
    if (deletes(i)) by_namespace[operations_->list[i].ns].push_back(i);
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
  auto names_it = [&](const Operation& operation) {
    const auto attrs = operations_->of(operation.attrs);
    auto renames_to_it = [&](const Attr& attr) {
      return attr.row->option == Option::Name && attr.value.text() == gone.name;
    };
    return operation.object == Object::Link && operation.verb != Verb::Delete &&
           (operation.name == gone.name || operation.peer_name == gone.name ||
            std::any_of(attrs.begin(), attrs.end(), renames_to_it));
  };
  bool existed = index < existed_.size() && existed_[index];
  bool something_was_deleted = false;
  for (uint32_t i = 0; i < index; ++i) {
    const Operation& operation = operations_->list[i];
    if (outcomes.of[i] != Outcome::Done) continue;
    if (names_it(operation)) existed = true;
    if (!deletes(i)) continue;
    something_was_deleted = true;
    if (operation.ns == gone.ns && operation.name == gone.name) existed = false;
  }
  return existed && something_was_deleted;
}

}  // namespace netbatch
