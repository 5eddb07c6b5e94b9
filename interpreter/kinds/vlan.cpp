#include <linux/if_vlan.h>
#include <linux/netlink.h>

#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

template <uint32_t kFlag>
bool parse_flag(Parser& parser, const Row& row, const Argument& keyword) {
  bool on = false;
  if (!parser.on_off(keyword, on)) return false;
  ifla_vlan_flags flags{};
  if (const Attr* old = parser.find(row)) flags = as_struct<ifla_vlan_flags>(old->value);
  flags.mask |= kFlag;
  flags.flags = on ? flags.flags | kFlag : flags.flags & ~kFlag;
  parser.put(row, parser.since(keyword), of_struct(flags));
  return true;
}

// FROM:TO …, each an attribute inside.
bool parse_qos_map(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "one or more FROM:TO";
  struct Entry {
    nlattr header;
    ifla_vlan_qos_mapping mapping;
  };
  std::string bytes;
  Span span = keyword.span;
  for (const Argument* word = parser.next_word(); word != nullptr; word = parser.next_word()) {
    const size_t colon = word->text.find(':');
    if (colon == std::string_view::npos) break;
    uint64_t from = 0;
    uint64_t to = 0;
    if (read_unsigned(word->text.substr(0, colon), from) != NumberError::None || from > UINT32_MAX ||
        read_unsigned(word->text.substr(colon + 1), to) != NumberError::None || to > UINT32_MAX) {
      return parser.needs(keyword, kNeeds, word);
    }
    const Entry entry{{sizeof(Entry), IFLA_VLAN_QOS_MAPPING}, {static_cast<uint32_t>(from), static_cast<uint32_t>(to)}};
    bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    span.end = word->span.end;
    parser.advance();
  }
  if (bytes.empty()) return parser.needs(keyword, kNeeds, parser.peek());
  parser.put(row, span, parser.keep(bytes));
  return true;
}

constexpr Row kRows[] = {
    kind_custom("protocol", IFLA_VLAN_PROTOCOL, parse_protocol),
    kind_number("id", ValueType::U16, IFLA_VLAN_ID),
    kind_custom("reorder_hdr", IFLA_VLAN_FLAGS, parse_flag<VLAN_FLAG_REORDER_HDR>),
    kind_custom("gvrp", IFLA_VLAN_FLAGS, parse_flag<VLAN_FLAG_GVRP>),
    kind_custom("mvrp", IFLA_VLAN_FLAGS, parse_flag<VLAN_FLAG_MVRP>),
    kind_custom("loose_binding", IFLA_VLAN_FLAGS, parse_flag<VLAN_FLAG_LOOSE_BINDING>),
    kind_custom("bridge_binding", IFLA_VLAN_FLAGS, parse_flag<VLAN_FLAG_BRIDGE_BINDING>),
    kind_custom("ingress-qos-map", IFLA_VLAN_INGRESS_QOS, parse_qos_map),
    kind_custom("egress-qos-map", IFLA_VLAN_EGRESS_QOS, parse_qos_map),
};

}  // namespace

constexpr Kind kVlan{.name = "vlan", .rows = kRows, .needs_link = true};

}  // namespace netbatch
