#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/tunnel_rows.hpp"

namespace netbatch {
namespace {

constexpr Choice kDf[] = {{"unset", GENEVE_DF_UNSET}, {"set", GENEVE_DF_SET}, {"inherit", GENEVE_DF_INHERIT}};

constexpr Row kTtlInherit = kind_word("ttl", IFLA_GENEVE_TTL_INHERIT, 1, 1);
constexpr Row kNoId = kind_number("id", ValueType::U32, IFLA_GENEVE_ID);

bool parse_ttl(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "a number, 'inherit' or 'auto'");
  if (word == nullptr) return false;
  if (word->text == "inherit") {
    parser.put(kTtlInherit, parser.since(keyword), Value::of_number(1, 1));
    return true;
  }
  uint64_t ttl = 0;
  if (word->text != "auto" && !parser.number(keyword, *word, 255, ttl)) return false;
  parser.put(row, parser.since(keyword), Value::of_number(ttl, 1));
  return true;
}

bool parse_external(Parser& parser, const Row& row, const Argument& keyword) {
  parser.put(row, keyword.span, Value::of_number(0, 0));
  return true;
}

// The kernel takes the attribute's presence for `external`, so nothing is sent.
bool parse_no_external(Parser&, const Row&, const Argument&) { return true; }

constexpr Row word(std::string_view keyword, uint16_t attribute, uint64_t fixed) {
  return once(kind_word(keyword, attribute, fixed, 1));
}

constexpr Row number(std::string_view keyword, ValueType type, uint16_t attribute, int64_t max = 0) {
  return once(kind_number(keyword, type, attribute, max));
}

constexpr Row kRows[] = {
    number("id", ValueType::U32, IFLA_GENEVE_ID, kMaxVni),
    number("vni", ValueType::U32, IFLA_GENEVE_ID, kMaxVni),
    once({.keyword = "remote",
          .match = Match::Prefix,
          .type = ValueType::Ip,
          .place = Place::InfoData,
          .attribute = IFLA_GENEVE_REMOTE,
          .attribute6 = IFLA_GENEVE_REMOTE6}),
    once(kind_custom("ttl", IFLA_GENEVE_TTL, parse_ttl)),
    once(kind_custom("hoplimit", IFLA_GENEVE_TTL, parse_ttl)),
    once(kind_custom("tos", IFLA_GENEVE_TOS, parse_tos)),
    once(kind_custom("dsfield", IFLA_GENEVE_TOS, parse_tos)),
    once(kind_choice("df", IFLA_GENEVE_DF, 1, kDf)),
    number("label", ValueType::Be32, IFLA_GENEVE_LABEL, kMaxFlowLabel),
    number("flowlabel", ValueType::Be32, IFLA_GENEVE_LABEL, kMaxFlowLabel),
    number("dstport", ValueType::Be16, IFLA_GENEVE_PORT),
    once(kind_custom("external", IFLA_GENEVE_COLLECT_METADATA, parse_external)),
    once(kind_custom("noexternal", IFLA_GENEVE_COLLECT_METADATA, parse_no_external)),
    word("udpcsum", IFLA_GENEVE_UDP_CSUM, 1),
    word("noudpcsum", IFLA_GENEVE_UDP_CSUM, 0),
    word("udp6zerocsumtx", IFLA_GENEVE_UDP_ZERO_CSUM6_TX, 1),
    word("noudp6zerocsumtx", IFLA_GENEVE_UDP_ZERO_CSUM6_TX, 0),
    word("udp6zerocsumrx", IFLA_GENEVE_UDP_ZERO_CSUM6_RX, 1),
    word("noudp6zerocsumrx", IFLA_GENEVE_UDP_ZERO_CSUM6_RX, 0),
    once({.keyword = "innerprotoinherit", .place = Place::InfoData, .attribute = IFLA_GENEVE_INNER_PROTO_INHERIT}),
};

bool finish(Parser& parser, Verb verb) {
  const bool creates = verb == Verb::Add || verb == Verb::Replace;
  const Attr* id = find_attribute(parser, IFLA_GENEVE_ID);
  const Attr* remote = find_attribute(parser, IFLA_GENEVE_REMOTE);
  if (remote != nullptr && to_address(remote->value).multicast()) {
    return parser.fail(remote->span, "'remote' needs a unicast address");
  }
  if (find_attribute(parser, IFLA_GENEVE_COLLECT_METADATA) != nullptr) {
    if (id != nullptr) return parser.fail(id->span, "'external' and 'id' exclude each other");
    parser.put(kNoId, parser.op.kind_span, Value::of_number(0, 4));
    return true;
  }
  if (id == nullptr) return parser.fail(parser.op.kind_span, "kind 'geneve' needs 'id VNI', or 'external'");
  if (creates && remote == nullptr) return parser.fail(parser.op.kind_span, "kind 'geneve' needs 'remote ADDRESS'");
  return true;
}

}  // namespace

constexpr Kind kGeneve{.name = "geneve", .rows = kRows, .underlay = true, .finish = finish};

}  // namespace netbatch
