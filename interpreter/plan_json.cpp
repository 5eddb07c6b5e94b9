#include "interpreter/plan_json.hpp"

#include <nlohmann/json.hpp>

namespace netbatch {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string to_json(const Plan& plan, const Operations& operations, const Namespaces& namespaces,
                    const grammar::Sources& sources, size_t first_request, std::span<const Irreversible> losses) {
  std::vector<Json> requests(operations.list.size(), Json::array());
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    const Request& request = plan.requests[i];
    const Json entry{{"number", first_request + i + 1}, {"kind", kind_text(request.kind)}};
    for (const uint32_t source : plan.sources_of(request)) requests[source].push_back(entry);
  }
  std::vector<Json> lost(operations.list.size(), Json::array());
  for (const Irreversible& each : losses)
    lost[each.operation].push_back({{"what", loss_code(each.loss)}, {"why", loss_reason(each.loss)}});
  std::string text;
  for (size_t i = plan.first; i < plan.last; ++i) {
    const Operation& operation = operations.list[i];
    const grammar::Position place = sources.locate(operation.span.begin);
    const Json object{{"file", place.file},
                      {"line", place.line},
                      {"column", place.column},
                      {"statement", sources.text(operation.span)},
                      {"operation", to_string(operation, operations, namespaces)},
                      {"netns", namespaces.name(operation.ns)},
                      {"transaction", operation.transaction},
                      {"requests", std::move(requests[i])},
                      {"irreversible", std::move(lost[i])}};
    // A script's bytes may be no UTF-8.
    text += object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  return text;
}

}  // namespace netbatch
