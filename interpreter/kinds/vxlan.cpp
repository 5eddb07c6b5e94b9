#include <arpa/inet.h>

#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/tunnel_rows.hpp"

namespace netbatch {
namespace {

constexpr Choice kDf[] = {{"unset", VXLAN_DF_UNSET}, {"set", VXLAN_DF_SET}, {"inherit", VXLAN_DF_INHERIT}};

constexpr Row kTtlInherit = kind_word("ttl", IFLA_VXLAN_TTL_INHERIT);
constexpr Row kGpePort = kind_number("dstport", ValueType::Be16, IFLA_VXLAN_PORT);
constexpr Row kLearning = kind_word("learning", IFLA_VXLAN_LEARNING, 1, 1);
constexpr Row kAnyGroup{.keyword = "group",
                        .type = ValueType::Ip,
                        .place = Place::InfoData,
                        .attribute = IFLA_VXLAN_GROUP,
                        .attribute6 = IFLA_VXLAN_GROUP6};

bool parse_ttl(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "a number, 'inherit' or 'auto'");
  if (word == nullptr) return false;
  if (word->text == "inherit") {
    parser.put(kTtlInherit, parser.since(keyword), Value::of_number(0, 0));
    return true;
  }
  uint64_t ttl = 0;
  if (word->text != "auto" && !parser.number(keyword, *word, 255, ttl)) return false;
  parser.put(row, parser.since(keyword), Value::of_number(ttl, 1));
  return true;
}

// A number, or the word that stands for 0.
template <bool kAgeing>
bool parse_limit(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kZero = kAgeing ? "none" : "unlimited";
  const Argument* word = parser.value(keyword, kAgeing ? "a number or 'none'" : "a number or 'unlimited'");
  uint64_t number = 0;
  if (word == nullptr || (word->text != kZero && !parser.number(keyword, *word, UINT32_MAX, number))) return false;
  parser.put(row, parser.since(keyword), Value::of_number(number, 4));
  return true;
}

bool parse_source_ports(Parser& parser, const Row& row, const Argument& keyword) {
  uint64_t ports[2] = {};
  for (uint64_t& port : ports) {
    const Argument* word = parser.value(keyword, "two numbers, the lowest and the highest port");
    if (word == nullptr || !parser.number(keyword, *word, 65535, port)) return false;
  }
  if (ports[0] == 0 && ports[1] == 0) return true;
  const ifla_vxlan_port_range range{htons(static_cast<uint16_t>(ports[0])), htons(static_cast<uint16_t>(ports[1]))};
  parser.put(row, parser.since(keyword), of_struct(range));
  return true;
}

constexpr Row address(std::string_view keyword, uint16_t attribute, uint16_t attribute6, bool multicast) {
  return once({.keyword = keyword,
               .match = Match::Prefix,
               .type = ValueType::Ip,
               .place = Place::InfoData,
               .attribute = attribute,
               .attribute6 = attribute6,
               .fixed = multicast});
}

constexpr Row number(std::string_view keyword, ValueType type, uint16_t attribute, int64_t max = 0) {
  return once(kind_number(keyword, type, attribute, max));
}

constexpr Row word(std::string_view keyword, uint16_t attribute, uint64_t fixed) {
  return once(kind_word(keyword, attribute, fixed, 1));
}

constexpr Row exact(Row row) {
  row.match = Match::Exact;
  return row;
}

constexpr Row kRows[] = {
    number("id", ValueType::U32, IFLA_VXLAN_ID, kMaxVni),
    number("vni", ValueType::U32, IFLA_VXLAN_ID, kMaxVni),
    address("group", IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6, true),
    address("remote", IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6, false),
    address("local", IFLA_VXLAN_LOCAL, IFLA_VXLAN_LOCAL6, false),
    number("dev", ValueType::Link, IFLA_VXLAN_LINK),
    once(kind_custom("ttl", IFLA_VXLAN_TTL, parse_ttl)),
    once(kind_custom("hoplimit", IFLA_VXLAN_TTL, parse_ttl)),
    once(kind_custom("tos", IFLA_VXLAN_TOS, parse_tos)),
    once(kind_custom("dsfield", IFLA_VXLAN_TOS, parse_tos)),
    once(kind_choice("df", IFLA_VXLAN_DF, 1, kDf)),
    number("label", ValueType::Be32, IFLA_VXLAN_LABEL, kMaxFlowLabel),
    number("flowlabel", ValueType::Be32, IFLA_VXLAN_LABEL, kMaxFlowLabel),
    once(kind_custom("ageing", IFLA_VXLAN_AGEING, parse_limit<true>)),
    once(kind_custom("maxaddress", IFLA_VXLAN_LIMIT, parse_limit<false>)),
    once(kind_custom("port", IFLA_VXLAN_PORT_RANGE, parse_source_ports)),
    once(kind_custom("srcport", IFLA_VXLAN_PORT_RANGE, parse_source_ports)),
    number("dstport", ValueType::Be16, IFLA_VXLAN_PORT),
    word("nolearning", IFLA_VXLAN_LEARNING, 0),
    word("learning", IFLA_VXLAN_LEARNING, 1),
    word("noproxy", IFLA_VXLAN_PROXY, 0),
    word("proxy", IFLA_VXLAN_PROXY, 1),
    word("norsc", IFLA_VXLAN_RSC, 0),
    word("rsc", IFLA_VXLAN_RSC, 1),
    word("nol2miss", IFLA_VXLAN_L2MISS, 0),
    word("l2miss", IFLA_VXLAN_L2MISS, 1),
    word("nol3miss", IFLA_VXLAN_L3MISS, 0),
    word("l3miss", IFLA_VXLAN_L3MISS, 1),
    word("udpcsum", IFLA_VXLAN_UDP_CSUM, 1),
    word("noudpcsum", IFLA_VXLAN_UDP_CSUM, 0),
    word("udp6zerocsumtx", IFLA_VXLAN_UDP_ZERO_CSUM6_TX, 1),
    word("noudp6zerocsumtx", IFLA_VXLAN_UDP_ZERO_CSUM6_TX, 0),
    word("udp6zerocsumrx", IFLA_VXLAN_UDP_ZERO_CSUM6_RX, 1),
    word("noudp6zerocsumrx", IFLA_VXLAN_UDP_ZERO_CSUM6_RX, 0),
    word("remcsumtx", IFLA_VXLAN_REMCSUM_TX, 1),
    word("noremcsumtx", IFLA_VXLAN_REMCSUM_TX, 0),
    word("remcsumrx", IFLA_VXLAN_REMCSUM_RX, 1),
    word("noremcsumrx", IFLA_VXLAN_REMCSUM_RX, 0),
    word("external", IFLA_VXLAN_COLLECT_METADATA, 1),
    word("noexternal", IFLA_VXLAN_COLLECT_METADATA, 0),
    once(kind_word("gbp", IFLA_VXLAN_GBP)),
    once(kind_word("gpe", IFLA_VXLAN_GPE)),
    exact(word("vnifilter", IFLA_VXLAN_VNIFILTER, 1)),
    exact(word("novnifilter", IFLA_VXLAN_VNIFILTER, 0)),
};

bool on(Parser& parser, uint16_t attribute) {
  const Attr* attr = find_attribute(parser, attribute);
  return attr != nullptr && attr->value.number != 0;
}

bool check_addresses(Parser& parser) {
  const Attr* group = find_attribute(parser, IFLA_VXLAN_GROUP);
  const Attr* local = find_attribute(parser, IFLA_VXLAN_LOCAL);
  if (local != nullptr && to_address(local->value).multicast()) {
    return parser.fail(local->span, "'local' needs an address that is not a multicast address");
  }
  if (group == nullptr) return true;
  const bool multicast = group->row->fixed != 0;
  if (to_address(group->value).multicast() != multicast) {
    return parser.fail(group->span, multicast ? "'group' needs a multicast address; for a single host write 'remote'"
                                              : "'remote' needs a unicast address; for multicast write 'group'");
  }
  if (local != nullptr && local->value.family != group->value.family) {
    return parser.fail(local->span, fmt::format("'local' and '{}' are not of one family", group->row->keyword));
  }
  if (multicast && find_attribute(parser, IFLA_VXLAN_LINK) == nullptr) {
    return parser.fail(group->span, "'group' needs 'dev' beside it, the link to send multicasts on");
  }
  return true;
}

bool check_identifier(Parser& parser, bool creates) {
  const Attr* id = find_attribute(parser, IFLA_VXLAN_ID);
  const bool external = on(parser, IFLA_VXLAN_COLLECT_METADATA);
  if (const Attr* filter = find_attribute(parser, IFLA_VXLAN_VNIFILTER);
      filter != nullptr && filter->value.number != 0 && !external) {
    return parser.fail(filter->span, "'vnifilter' needs 'external' beside it");
  }
  if (external && id != nullptr) return parser.fail(id->span, "'external' and 'id' exclude each other");
  if (!external && id == nullptr && creates) {
    return parser.fail(parser.op.kind_span, "kind 'vxlan' needs 'id VNI', or 'external'");
  }
  return true;
}

bool finish(Parser& parser, Verb verb) {
  const bool creates = verb == Verb::Add || verb == Verb::Replace;
  if (!check_identifier(parser, creates) || !check_addresses(parser)) return false;
  const Span span = parser.op.kind_span;
  if (find_attribute(parser, IFLA_VXLAN_GPE) != nullptr && find_attribute(parser, IFLA_VXLAN_PORT) == nullptr) {
    parser.put(kGpePort, span, Value::of_number(htons(4790), 2));
  }
  // The kernel's default is off, iproute2's is on; metadata mode turns it off again.
  if (on(parser, IFLA_VXLAN_COLLECT_METADATA)) {
    parser.put(kLearning, span, Value::of_number(0, 1));
  } else if (creates && find_attribute(parser, IFLA_VXLAN_LEARNING) == nullptr) {
    parser.put(kLearning, span, Value::of_number(1, 1));
  }
  const bool chosen =
      find_attribute(parser, IFLA_VXLAN_GROUP) != nullptr || find_attribute(parser, IFLA_VXLAN_LOCAL) != nullptr;
  if (!chosen && parser.family() != AF_UNSPEC) {
    IpAddress any;
    any.family = parser.family();
    Value value = parser.keep(any.view());
    value.family = any.family;
    parser.put(kAnyGroup, span, value);
  }
  return true;
}

}  // namespace

constexpr Kind kVxlan{.name = "vxlan", .rows = kRows, .underlay = true, .finish = finish};

}  // namespace netbatch
