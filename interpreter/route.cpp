#include "interpreter/route.hpp"

#include <fmt/format.h>
#include <linux/icmpv6.h>
#include <linux/rtnetlink.h>

#include <cmath>

#include "interpreter/names.hpp"
#include "interpreter/route_hops.hpp"

namespace netbatch {
namespace {

class RouteParser : public Parser {
 public:
  RouteParser(const ParseContext& context, std::string_view command_name, Verb verb);
  bool parse();

  bool prefix(const Argument& keyword, const Argument& word, IpPrefix& result);

  bool has_via = false;
  bool has_nexthop = false;  // nexthop, nhid
  bool table_given = false;
  bool scope_given = false;

 private:
  bool word(const Argument& word);
  bool destination(const Argument& first);
  void complete();
  bool deletes() const { return op.verb == Verb::Delete || op.verb == Verb::Absent; }
  bool has_destination_ = false;
  std::string_view device_;  // of the block that the route stands in
  Span device_span_;
};

RouteParser& route(Parser& parser) { return static_cast<RouteParser&>(parser); }

struct TypeName {
  std::string_view keyword;
  Match match;
  uint8_t type;
};
constexpr TypeName kTypes[] = {
    {"local", Match::Exact, RTN_LOCAL},          {"nat", Match::Exact, RTN_NAT},
    {"broadcast", Match::Prefix, RTN_BROADCAST}, {"brd", Match::Exact, RTN_BROADCAST},
    {"anycast", Match::Prefix, RTN_ANYCAST},     {"multicast", Match::Prefix, RTN_MULTICAST},
    {"prohibit", Match::Prefix, RTN_PROHIBIT},   {"unreachable", Match::Prefix, RTN_UNREACHABLE},
    {"blackhole", Match::Prefix, RTN_BLACKHOLE}, {"xresolve", Match::Prefix, RTN_XRESOLVE},
    {"unicast", Match::Prefix, RTN_UNICAST},     {"throw", Match::Exact, RTN_THROW},
};
constexpr KeywordTable<TypeName> kTypeTable{kTypes};

// A gateway of another family than the destination's.
constexpr Row kOtherFamily{.keyword = "via", .type = ValueType::Custom, .attribute = RTA_VIA};

bool parse_via(Parser& parser, const Row& row, const Argument& keyword) {
  Gateway gateway;
  if (!read_gateway(parser, keyword, gateway)) return false;
  route(parser).has_via = true;
  const Row& sent = gateway.attribute == RTA_VIA ? kOtherFamily : row;
  parser.put(sent, parser.since(keyword), parser.keep(gateway.bytes));
  return true;
}

// All that follows belongs to the hops.
bool parse_nexthops(Parser& parser, const Row& row, const Argument& keyword) {
  route(parser).has_nexthop = true;
  return parse_hops(parser, row, keyword);
}

bool parse_from(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "an address");
  IpPrefix prefix;
  if (word == nullptr || !route(parser).prefix(keyword, *word, prefix)) return false;
  parser.op.header.source_length = prefix.length;
  if (!prefix.everything) parser.put(row, parser.since(keyword), parser.keep(prefix.address.view()));
  return true;
}

// A name of one of iproute2's files, or a number: a field of the header.
bool read_named(Parser& parser, const Argument& keyword, NameFile file, std::string_view what, uint32_t& number) {
  const Argument* word = parser.value(keyword, what);
  return word != nullptr && (find_name(file, word->text, number) || parser.needs(keyword, what, word));
}

bool parse_tos(Parser& parser, const Row&, const Argument& keyword) {
  uint32_t tos = 0;
  if (!read_named(parser, keyword, NameFile::DsField, "a name of /etc/iproute2/rt_dsfield or a hexadecimal number",
                  tos)) {
    return false;
  }
  parser.op.header.tos = static_cast<uint8_t>(tos);
  return true;
}

bool parse_scope(Parser& parser, const Row&, const Argument& keyword) {
  uint32_t scope = 0;
  if (!read_named(parser, keyword, NameFile::Scope, "'global', 'link', 'host' or another scope's name or number",
                  scope)) {
    return false;
  }
  parser.op.header.scope = static_cast<uint8_t>(scope);
  route(parser).scope_given = true;
  return true;
}

bool parse_protocol_name(Parser& parser, const Row&, const Argument& keyword) {
  uint32_t protocol = 0;
  if (!read_named(parser, keyword, NameFile::Protocol, "a routing protocol's name or number", protocol)) return false;
  parser.op.header.protocol = static_cast<uint8_t>(protocol);
  return true;
}

bool parse_table(Parser& parser, const Row& row, const Argument& keyword) {
  uint32_t table = 0;
  if (!read_named(parser, keyword, NameFile::Table, "a routing table's name or number", table)) return false;
  route(parser).table_given = true;
  parser.op.header.table = table < 256 ? static_cast<uint8_t>(table) : uint8_t{RT_TABLE_UNSPEC};
  if (table >= 256) parser.put(row, parser.since(keyword), Value::of_number(table, 4));
  return true;
}

bool parse_onlink(Parser& parser, const Row&, const Argument&) {
  parser.op.header.flags |= RTNH_F_ONLINK;
  return true;
}

bool parse_nexthop_id(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "a number");
  uint64_t id = 0;
  if (word == nullptr || !parser.number(keyword, *word, UINT32_MAX, id)) return false;
  parser.put(row, parser.since(keyword), Value::of_number(id, 4));
  route(parser).has_nexthop = id != 0;
  return true;
}

bool parse_realms(Parser& parser, const Row& row, const Argument& keyword) {
  uint32_t realms = 0;
  if (!read_realms(parser, keyword, realms)) return false;
  parser.put(row, parser.since(keyword), Value::of_number(realms, 4));
  return true;
}

// Metrics: `lock` before the value makes it fixed, which is a bit of one more metric.
constexpr Row kLock{.keyword = "lock", .type = ValueType::U32, .place = Place::Metrics, .attribute = RTAX_LOCK};

void lock(Parser& parser, const Row& row, const Argument& keyword) {
  const Attr* old = parser.find(kLock);
  const uint64_t bits = old != nullptr ? old->value.number : 0;
  parser.put(kLock, keyword.span, Value::of_number(bits | 1U << row.attribute, 4));
}

const Argument* metric_value(Parser& parser, const Row& row, const Argument& keyword, std::string_view what) {
  const Argument* word = parser.value(keyword, what);
  if (word == nullptr || word->text != "lock") return word;
  lock(parser, row, keyword);
  return parser.value(keyword, what);
}

bool parse_metric(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = metric_value(parser, row, keyword, "a number");
  uint64_t number = 0;
  const uint64_t max = row.max != 0 ? static_cast<uint64_t>(row.max) : UINT32_MAX;
  if (word == nullptr || !parser.number(keyword, *word, max, number)) return false;
  parser.put(row, parser.since(keyword), Value::of_number(number, 4));
  return true;
}

// A time in ms, s, or without a unit in the kernel's own unit. `scale`: how many of those a millisecond is.
bool read_time(std::string_view text, uint64_t scale, uint64_t& result) {
  constexpr std::string_view kDigits = "0123456789.";
  const size_t unit_begin = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view unit = text.substr(unit_begin);
  const bool seconds = unit == "s" || unit == "sec" || unit == "secs";
  const bool milliseconds = unit == "ms" || unit == "msec" || unit == "msecs";
  if (unit_begin == 0 || (!unit.empty() && !seconds && !milliseconds)) return false;
  char* end = nullptr;
  const std::string digits(text.substr(0, unit_begin));
  double value = std::strtod(digits.c_str(), &end);
  if (*end != '\0') return false;
  if (seconds) value *= 1000;
  value = std::ceil(value) * static_cast<double>(unit.empty() ? 1 : scale);
  result = static_cast<uint64_t>(value);
  return value <= UINT32_MAX;
}

bool parse_time(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "a time such as '200ms'";
  if (row.attribute == RTAX_RTO_MIN) lock(parser, row, keyword);
  const Argument* word = metric_value(parser, row, keyword, kNeeds);
  uint64_t time = 0;
  if (word == nullptr) return false;
  if (!read_time(word->text, row.fixed, time)) return parser.needs(keyword, kNeeds, word);
  parser.put(row, parser.since(keyword), Value::of_number(time, 4));
  return true;
}

bool parse_congestion(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = metric_value(parser, row, keyword, "a congestion control's name");
  if (word == nullptr) return false;
  parser.put(row, parser.since(keyword), Value::of_data(word->text));
  return true;
}

bool refuse(Parser& parser, const Row&, const Argument& keyword) { return parser.unsupported(keyword); }

using Parse = bool (*)(Parser&, const Row&, const Argument&);

constexpr Row custom(std::string_view keyword, Match match, Parse parse, uint16_t attribute = 0, bool once = false) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Custom,
          .attribute = attribute,
          .once = once,
          .parse = parse};
}

constexpr Row metric(std::string_view keyword, Match match, uint16_t attribute, int64_t max = 0,
                     Parse parse = parse_metric, uint64_t fixed = 0) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Custom,
          .place = Place::Metrics,
          .attribute = attribute,
          .fixed = fixed,
          .max = max,
          .parse = parse};
}

constexpr Row dev(std::string_view keyword) {
  return {.keyword = keyword, .option = Option::Dev, .type = ValueType::Link, .attribute = RTA_OIF};
}

constexpr Row number(std::string_view keyword, Match match, uint16_t attribute) {
  return {.keyword = keyword, .match = match, .type = ValueType::U32, .attribute = attribute};
}

constexpr Choice kPreferences[] = {
    {"low", ICMPV6_ROUTER_PREF_LOW}, {"medium", ICMPV6_ROUTER_PREF_MEDIUM}, {"high", ICMPV6_ROUTER_PREF_HIGH}};
constexpr Choice kEnabled[] = {{"enabled", 1}, {"disabled", 0}};
constexpr Choice kFeatures[] = {{"ecn", RTAX_FEATURE_ECN}};

constexpr Match kExact = Match::Exact;
constexpr Match kPrefix = Match::Prefix;

constexpr Row kRows[] = {
    {.keyword = "src", .type = ValueType::Ip, .attribute = RTA_PREFSRC, .attribute6 = RTA_PREFSRC},
    custom("as", kExact, refuse),
    custom("via", kExact, parse_via, RTA_GATEWAY, true),
    custom("from", kExact, parse_from, RTA_SRC),
    custom("tos", kExact, parse_tos),
    custom("dsfield", kPrefix, parse_tos),
    number("expires", kExact, RTA_EXPIRES),
    number("metric", kPrefix, RTA_PRIORITY),
    number("priority", kPrefix, RTA_PRIORITY),
    number("preference", kExact, RTA_PRIORITY),
    custom("scope", kExact, parse_scope),
    metric("mtu", kExact, RTAX_MTU),
    metric("hoplimit", kExact, RTAX_HOPLIMIT, 255),
    metric("advmss", kExact, RTAX_ADVMSS),
    metric("reordering", kPrefix, RTAX_REORDERING),
    metric("rtt", kExact, RTAX_RTT, 0, parse_time, 8),
    metric("rto_min", kExact, RTAX_RTO_MIN, 0, parse_time, 1),
    metric("window", kPrefix, RTAX_WINDOW),
    metric("cwnd", kPrefix, RTAX_CWND),
    metric("initcwnd", kPrefix, RTAX_INITCWND),
    metric("initrwnd", kPrefix, RTAX_INITRWND),
    {.keyword = "features",
     .match = kPrefix,
     .type = ValueType::Choice,
     .place = Place::Metrics,
     .attribute = RTAX_FEATURES,
     .width = 4,
     .choices = kFeatures},
    {.keyword = "quickack",
     .match = kPrefix,
     .type = ValueType::U32,
     .place = Place::Metrics,
     .attribute = RTAX_QUICKACK,
     .max = 1},
    metric("congctl", kPrefix, RTAX_CC_ALGO, 0, parse_congestion),
    metric("rttvar", kPrefix, RTAX_RTTVAR, 0, parse_time, 4),
    metric("ssthresh", kPrefix, RTAX_SSTHRESH),
    custom("realms", kPrefix, parse_realms, RTA_FLOW),
    custom("onlink", kExact, parse_onlink),
    {.keyword = "nexthop",
     .type = ValueType::Custom,
     .place = Place::Hops,
     .attribute = RTA_MULTIPATH,
     .parse = parse_nexthops},
    custom("nhid", kExact, parse_nexthop_id, RTA_NH_ID),
    custom("protocol", kPrefix, parse_protocol_name),
    custom("table", kPrefix, parse_table, RTA_TABLE),
    custom("vrf", kPrefix, refuse),
    dev("dev"),
    dev("oif"),
    {.keyword = "pref",
     .match = kPrefix,
     .type = ValueType::Choice,
     .attribute = RTA_PREF,
     .max = 255,
     .width = 1,
     .numbers = true,
     .choices = kPreferences},
    custom("encap", kExact, refuse),
    {.keyword = "ttl-propagate",
     .type = ValueType::Choice,
     .attribute = RTA_TTL_PROPAGATE,
     .width = 1,
     .choices = kEnabled},
    {.keyword = "fastopen_no_cookie",
     .match = kPrefix,
     .type = ValueType::U32,
     .place = Place::Metrics,
     .attribute = RTAX_FASTOPEN_NO_COOKIE,
     .max = 1},
};

constexpr RowTable kTable{kRows};

constexpr Row kDevice = dev("dev");
constexpr Row kDestination{.keyword = "to", .type = ValueType::Custom, .attribute = RTA_DST};

RouteParser::RouteParser(const ParseContext& context, std::string_view command_name, Verb verb)
    : Parser(context, command_name, Object::Route, verb), device_(context.device), device_span_(context.device_span) {
  op.header.table = RT_TABLE_MAIN;
  op.header.scope = RT_SCOPE_NOWHERE;
  if (deletes()) return;
  op.header.protocol = RTPROT_BOOT;
  op.header.scope = RT_SCOPE_UNIVERSE;
  op.header.type = RTN_UNICAST;
}

bool RouteParser::parse() {
  while (const Argument* argument = peek()) {
    advance();
    if (argument->kind == ArgumentKind::Word && !word(*argument)) return false;
  }
  if (!has_destination_) {
    fail(op.span, fmt::format("'{}' needs a destination", command));
    note("for example: route add 10.0.0.0/8 via 10.0.0.1, or route add default via 10.0.0.1");
    return false;
  }
  complete();
  return finish();
}

bool RouteParser::word(const Argument& word) {
  const Row* row = kTable.find(word.text);
  return row != nullptr ? option(*row, word) : destination(word);
}

bool RouteParser::destination(const Argument& first) {
  const Argument* word = &first;
  if (word->text == "to") {
    word = value(first, "a destination");
    if (word == nullptr) return false;
  }
  if (const TypeName* type = kTypeTable.find(word->text)) {
    op.header.type = type->type;
    const Argument* after = value(*word, "a destination after it");
    if (after == nullptr) return false;
    word = after;
  }
  IpPrefix result;
  if (has_destination_) {
    std::vector<std::string_view> candidates;
    for (const Row& row : kRows) candidates.push_back(row.keyword);
    fail(word->span, fmt::format("'{}' has a destination already, found '{}'", command, word->text));
    suggest(word->text, candidates);
    return false;
  }
  if (!prefix(first, *word, result)) return false;
  has_destination_ = true;
  op.header.prefix_length = result.length;
  if (!result.everything) put(kDestination, word->span, keep(result.address.view()));
  return true;
}

bool RouteParser::prefix(const Argument& keyword, const Argument& word, IpPrefix& result) {
  const uint8_t family = op.header.family;
  const PrefixError error = read_prefix(word.text, family, result);
  if (error == PrefixError::None) {
    op.header.family = result.address.family;
    return true;
  }
  if (error == PrefixError::Length) {
    return fail(
        word.span,
        fmt::format("'{}' has no valid prefix length: an IPv4 address takes /0 to /32, IPv6 /0 to /128", word.text));
  }
  const std::string_view what = family == AF_INET    ? "an IPv4 address"
                                : family == AF_INET6 ? "an IPv6 address"
                                                     : "an IP address";
  if (&keyword != &word) return needs(keyword, what, &word);
  std::vector<std::string_view> candidates{"to", "default"};
  for (const Row& row : kRows) candidates.push_back(row.keyword);
  for (const TypeName& type : kTypes) candidates.push_back(type.keyword);
  fail(word.span, fmt::format("'{}' is neither an option of '{}' nor {}", word.text, command, what));
  suggest(word.text, candidates);
  return false;
}

void RouteParser::complete() {
  FamilyHeader& header = op.header;
  if (header.family == AF_UNSPEC) header.family = AF_INET;
  const uint8_t type = header.type;
  const bool has_device = type != RTN_BLACKHOLE && type != RTN_UNREACHABLE && type != RTN_PROHIBIT && type != RTN_THROW;
  if (!device_.empty() && has_device && !has_nexthop && find(kDevice) == nullptr)
    put(kDevice, device_span_, Value::of_data(device_));
  const bool to_self = type == RTN_LOCAL || type == RTN_NAT;
  if (!table_given && (to_self || type == RTN_BROADCAST || type == RTN_ANYCAST)) header.table = RT_TABLE_LOCAL;
  if (scope_given) return;
  if (header.family == AF_INET6) {
    header.scope = RT_SCOPE_UNIVERSE;
  } else if (to_self) {
    header.scope = RT_SCOPE_HOST;
  } else if (type == RTN_BROADCAST || type == RTN_MULTICAST || type == RTN_ANYCAST) {
    header.scope = RT_SCOPE_LINK;
  } else if (type == RTN_UNICAST || type == RTN_UNSPEC) {
    if (deletes()) {
      header.scope = RT_SCOPE_NOWHERE;
    } else if (!has_via && !has_nexthop) {
      header.scope = RT_SCOPE_LINK;
    }
  }
}

}  // namespace

bool parse_route(const ParseContext& context, std::string_view command, Verb verb) {
  return RouteParser(context, command, verb).parse();
}

}  // namespace netbatch
