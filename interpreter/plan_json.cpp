#include "interpreter/plan_json.hpp"

#include "interpreter/json_line.hpp"

namespace netbatch {
namespace {

std::string_view kind_text(RequestKind kind) {
  switch (kind) {
    case RequestKind::Plain:
      return "plain";
    case RequestKind::Fused:
      return "fused";
    default:
      return "group-delete";
  }
}

Json optional_text(const std::optional<std::string>& text) {
  return text && !text->empty() ? Json(*text) : Json(nullptr);
}

// `old` is left out where it is not known; null: there is none.
Json changes_of(const Difference& difference) {
  Json changes = Json::array();
  if (difference.effect != Effect::Change) return changes;
  for (const Change& change : difference.changes) {
    Json entry;
    if (!change.link.empty()) entry["link"] = change.link;
    entry["option"] = change.option;
    if (change.is_known) entry["old"] = optional_text(change.old);
    entry["new"] = optional_text(change.fresh);
    changes.push_back(std::move(entry));
  }
  return changes;
}

class Lines {
 public:
  Lines(const Operations& operations, const Namespaces& namespaces, const grammar::Sources& sources)
      : operations_(operations), namespaces_(namespaces), sources_(sources) {}

  void add(const Operation& operation, Json requests, Json lost, const Difference* difference) {
    Json object = json_at(sources_, operation.span);
    object.update({{"statement", sources_.text(operation.span)},
                   {"operation", to_string(operation, operations_, namespaces_)},
                   {"netns", namespaces_.name(operation.ns)},
                   {"transaction", operation.transaction},
                   {"requests", std::move(requests)},
                   {"irreversible", std::move(lost)}});
    if (difference != nullptr) {
      object["effect"] = word_of(difference->effect);
      object["changes"] = changes_of(*difference);
    }
    text_ += json_line(object);
  }
  std::string take() { return std::move(text_); }

 private:
  const Operations& operations_;
  const Namespaces& namespaces_;
  const grammar::Sources& sources_;
  std::string text_;
};

}  // namespace

std::string to_json(const Plan& plan, const Operations& operations, const Namespaces& namespaces,
                    const grammar::Sources& sources, size_t first_request, std::span<const Irreversible> losses,
                    std::span<const Difference> differences) {
  std::vector<Json> requests(operations.list.size(), Json::array());
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    const Request& request = plan.requests[i];
    const Json entry{{"number", first_request + i + 1}, {"kind", kind_text(request.kind)}};
    for (const uint32_t source : plan.sources_of(request)) requests[source].push_back(entry);
  }
  std::vector<Json> lost(operations.list.size(), Json::array());
  for (const Irreversible& each : losses)
    lost[each.operation].push_back({{"what", loss_code(each.loss)}, {"why", loss_reason(each.loss)}});
  Lines lines(operations, namespaces, sources);
  auto next = differences.begin();
  auto add_before = [&](uint32_t number) {
    for (; next != differences.end() && next->operation.number < number; ++next)
      lines.add(next->operation, Json::array(), Json::array(), &*next);
  };
  for (size_t i = plan.first; i < plan.last; ++i) {
    const Operation& operation = operations.list[i];
    add_before(operation.number);
    const bool about = next != differences.end() && next->operation.number == operation.number;
    lines.add(operation, std::move(requests[i]), std::move(lost[i]), about ? &*next++ : nullptr);
  }
  add_before(UINT32_MAX);
  return lines.take();
}

}  // namespace netbatch
