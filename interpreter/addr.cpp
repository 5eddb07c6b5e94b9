#include "interpreter/addr.hpp"

#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include <optional>

#include "interpreter/names.hpp"

namespace netbatch {
namespace {

class AddrParser : public Parser {
 public:
  AddrParser(const ParseContext& context, std::string_view command_name, Verb verb)
      : Parser(context, command_name, Object::Addr, verb), in_block_(!context.device.empty()) {
    op.name = context.device;
    op.name_span = context.device_span;
  }
  bool parse();

  bool prefix(const Argument& keyword, const Argument& word, IpPrefix& result);
  bool dev(const Argument& keyword);

  std::optional<IpPrefix> local;
  std::optional<IpPrefix> peer;
  char automatic_broadcast = 0;  // '+' or '-'
  Span automatic_broadcast_span;
  bool scope_given = false;
  uint32_t flags = 0;
  ifa_cacheinfo lifetime{INFINITY_LIFE_TIME_, INFINITY_LIFE_TIME_, 0, 0};
  Span lifetime_span;
  bool lifetime_given[2] = {};  // valid, preferred

 private:
  static constexpr uint32_t INFINITY_LIFE_TIME_ = 0xffffffff;
  bool word(const Argument& word);
  bool local_address(const Argument& keyword, const Argument& word);
  bool complete();
  bool complete_peer();
  bool complete_broadcast();
  bool complete_lifetime();
  Argument local_word_{};
  bool in_block_;
};

AddrParser& addr(Parser& parser) { return static_cast<AddrParser&>(parser); }

bool parse_peer(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "an address");
  IpPrefix prefix;
  if (word == nullptr || !addr(parser).prefix(keyword, *word, prefix)) return false;
  parser.put(row, parser.since(keyword), parser.keep(prefix.address.view()));
  addr(parser).peer = prefix;
  return true;
}

bool parse_broadcast(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "an address, '+' or '-'";
  AddrParser& self = addr(parser);
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  if (self.automatic_broadcast != 0) return parser.twice(keyword, self.automatic_broadcast_span);
  if (word->text == "+" || word->text == "-") {
    self.automatic_broadcast = word->text[0];
    self.automatic_broadcast_span = parser.since(keyword);
    return true;
  }
  IpAddress address;
  if (!parser.ip(keyword, *word, self.op.header.family, address)) return false;
  self.op.header.family = address.family;
  parser.put(row, parser.since(keyword), parser.keep(address.view()));
  return true;
}

bool parse_scope(Parser& parser, const Row&, const Argument& keyword) {
  constexpr std::string_view kNeeds = "'global', 'link', 'host' or another scope's name or number";
  const Argument* word = parser.value(keyword, kNeeds);
  uint32_t scope = 0;
  if (word == nullptr) return false;
  if (!find_name(NameFile::Scope, word->text, scope)) return parser.needs(keyword, kNeeds, word);
  parser.op.header.scope = static_cast<uint8_t>(scope);
  addr(parser).scope_given = true;
  return true;
}

bool parse_dev(Parser& parser, const Row&, const Argument& keyword) { return addr(parser).dev(keyword); }

template <bool kValid>
bool parse_lifetime(Parser& parser, const Row&, const Argument& keyword) {
  AddrParser& self = addr(parser);
  const Argument* word = parser.value(keyword, "seconds or 'forever'");
  if (word == nullptr) return false;
  if (self.lifetime_given[kValid ? 0 : 1]) return parser.twice(keyword, self.lifetime_span);
  uint64_t seconds = 0xffffffff;
  if (word->text != "forever" && !parser.number(keyword, *word, 0xffffffff, seconds)) return false;
  (kValid ? self.lifetime.ifa_valid : self.lifetime.ifa_prefered) = static_cast<uint32_t>(seconds);
  self.lifetime_given[kValid ? 0 : 1] = true;
  self.lifetime_span = parser.since(keyword);
  return true;
}

// As iproute2: a flag that only IPv6 knows is left out unless the family is known to be IPv6 by then, and one that user
// space cannot set is left out always.
template <bool kOnlyIp6>
bool parse_flag(Parser& parser, const Row& row, const Argument&) {
  if (!kOnlyIp6 || parser.op.header.family == AF_INET6) addr(parser).flags |= static_cast<uint32_t>(row.fixed);
  return true;
}

bool ignore_flag(Parser&, const Row&, const Argument&) { return true; }

constexpr Row custom(std::string_view keyword, bool (*parse)(Parser&, const Row&, const Argument&),
                     uint16_t attribute = 0, Match match = Match::Exact, bool once = false) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Custom,
          .attribute = attribute,
          .once = once,
          .parse = parse};
}

constexpr Row flag(std::string_view keyword, uint32_t bit, bool (*parse)(Parser&, const Row&, const Argument&)) {
  return {.keyword = keyword, .type = ValueType::Custom, .place = Place::Header, .fixed = bit, .parse = parse};
}

constexpr Row metric(std::string_view keyword) {
  return {.keyword = keyword, .match = Match::Prefix, .type = ValueType::U32, .attribute = IFA_RT_PRIORITY};
}

constexpr Row kDev = {.keyword = "dev", .option = Option::Dev, .type = ValueType::Custom, .parse = parse_dev};

constexpr Row kRows[] = {
    custom("peer", parse_peer, IFA_ADDRESS, Match::Exact, true),
    custom("remote", parse_peer, IFA_ADDRESS, Match::Exact, true),
    custom("broadcast", parse_broadcast, IFA_BROADCAST, Match::Prefix, true),
    custom("brd", parse_broadcast, IFA_BROADCAST, Match::Exact, true),
    {.keyword = "anycast", .type = ValueType::Ip, .attribute = IFA_ANYCAST, .attribute6 = IFA_ANYCAST, .once = true},
    custom("scope", parse_scope),
    kDev,
    {.keyword = "label", .type = ValueType::TextNul, .attribute = IFA_LABEL, .max = 15},
    metric("metric"),
    metric("priority"),
    metric("preference"),
    custom("valid_lft", parse_lifetime<true>, 0, Match::Prefix),
    custom("preferred_lft", parse_lifetime<false>, 0, Match::Prefix),
    flag("secondary", 0, ignore_flag),
    flag("temporary", 0, ignore_flag),
    flag("nodad", IFA_F_NODAD, parse_flag<true>),
    flag("optimistic", IFA_F_OPTIMISTIC, parse_flag<true>),
    flag("dadfailed", 0, ignore_flag),
    flag("home", IFA_F_HOMEADDRESS, parse_flag<true>),
    flag("deprecated", 0, ignore_flag),
    flag("tentative", 0, ignore_flag),
    flag("permanent", 0, ignore_flag),
    flag("mngtmpaddr", IFA_F_MANAGETEMPADDR, parse_flag<true>),
    flag("noprefixroute", IFA_F_NOPREFIXROUTE, parse_flag<false>),
    flag("autojoin", IFA_F_MCAUTOJOIN, parse_flag<false>),
    flag("stable-privacy", 0, ignore_flag),
};

constexpr RowTable kTable{kRows};

constexpr Row kLocal{.keyword = "local", .type = ValueType::Custom, .attribute = IFA_LOCAL};
constexpr Row kAddress{.keyword = "peer", .type = ValueType::Custom, .attribute = IFA_ADDRESS};
constexpr Row kBroadcast{.keyword = "broadcast", .type = ValueType::Custom, .attribute = IFA_BROADCAST};
constexpr Row kLifetime{.keyword = "valid_lft", .type = ValueType::Custom, .attribute = IFA_CACHEINFO};
constexpr Row kFlags{.keyword = "flags", .type = ValueType::Custom, .attribute = IFA_FLAGS};

bool AddrParser::parse() {
  while (const Argument* argument = peek()) {
    advance();
    if (argument->kind == ArgumentKind::Word && !word(*argument)) return false;
  }
  return complete();
}

bool AddrParser::word(const Argument& word) {
  if (const Row* row = kTable.find(word.text)) return option(*row, word);
  if (word.text == "local") {
    const Argument* address = value(word, "an address");
    return address != nullptr && local_address(word, *address);
  }
  return local_address(word, word);
}

bool AddrParser::dev(const Argument& keyword) {
  if (in_block_) return fail(keyword.span, "an address inside the block of a link is that link's: leave 'dev' out");
  const Argument* word = value(keyword, "a link's name");
  if (word == nullptr) return false;
  op.name = word->text;
  op.name_span = word->span;
  return link_name(*word);
}

bool AddrParser::prefix(const Argument& keyword, const Argument& word, IpPrefix& result) {
  const uint8_t family = op.header.family;
  const PrefixError error = read_prefix(word.text, family, result);
  if (error == PrefixError::None && !result.everything) {
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
  std::vector<std::string_view> candidates{"local"};
  for (const Row& row : kRows) candidates.push_back(row.keyword);
  fail(word.span, fmt::format("'{}' is neither an option of '{}' nor {}", word.text, command, what));
  std::array<uint8_t, 32> mac;
  const bool suggested = suggest(word.text, candidates);
  if (!suggested && in_block_ && read_mac(word.text, mac) > 4) note("the link's own address is set with 'address'");
  return false;
}

bool AddrParser::local_address(const Argument& keyword, const Argument& word) {
  if (local.has_value()) {
    fail(word.span, fmt::format("'{}' has an address already, found '{}'", command, word.text));
    std::vector<std::string_view> candidates{"local"};
    for (const Row& row : kRows) candidates.push_back(row.keyword);
    suggest(word.text, candidates);
    return false;
  }
  IpPrefix address;
  if (!prefix(keyword, word, address)) return false;
  local = address;
  local_word_ = word;
  put(kLocal, word.span, keep(address.address.view()));
  return true;
}

bool AddrParser::complete() {
  if (op.name.empty()) {
    fail(op.span, fmt::format("'{}' needs 'dev LINK'", command));
    return false;
  }
  const bool deletes = op.verb == Verb::Delete || op.verb == Verb::Absent;
  if (!local.has_value() && (op.verb != Verb::Delete || op.header.family == AF_UNSPEC)) {
    return fail(op.span, fmt::format("'{}' needs an address", command));
  }
  if (!complete_peer() || !complete_broadcast() || !complete_lifetime()) return false;
  const bool loopback = local.has_value() && local->address.family == AF_INET && local->address.bytes[0] == 127;
  if (!scope_given && !deletes && loopback) op.header.scope = RT_SCOPE_HOST;
  if ((flags & IFA_F_MCAUTOJOIN) != 0 && (!local.has_value() || !local->address.multicast())) {
    return fail(local_word_.span, "'autojoin' needs a multicast address");
  }
  // The header's field has 8 bits.
  if (flags <= 0xff) {
    op.header.flags = flags;
  } else {
    put(kFlags, op.span, Value::of_number(flags, 4));
  }
  return finish();
}

bool AddrParser::complete_peer() {
  op.header.prefix_length = peer.has_value() ? peer->length : 0;
  if (!local.has_value()) return true;
  if (op.header.prefix_length == 0) op.header.prefix_length = local->length;
  if (peer.has_value()) return true;
  // Without IFA_ADDRESS the kernel does not compare the prefix length: an IPv4 address is deleted whatever it has.
  const bool any_length = !local->length_given &&
                          (op.verb == Verb::Absent || (op.verb == Verb::Delete && local->address.family == AF_INET));
  if (!any_length) put(kAddress, local_word_.span, keep(local->address.view()));
  return true;
}

bool AddrParser::complete_broadcast() {
  if (automatic_broadcast == 0 || op.verb == Verb::Delete || op.verb == Verb::Absent) return true;
  if (op.header.family != AF_INET) return fail(local_word_.span, "'broadcast' is for IPv4 addresses only");
  const IpPrefix& base = peer.has_value() ? *peer : *local;
  if (base.length > 30) return true;
  IpAddress broadcast = base.address;
  for (unsigned bit = base.length; bit < 32; ++bit) {
    const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
    uint8_t& byte = broadcast.bytes[bit / 8];
    byte = static_cast<uint8_t>(automatic_broadcast == '+' ? byte | mask : byte & ~mask);
  }
  put(kBroadcast, local_word_.span, keep(broadcast.view()));
  return true;
}

bool AddrParser::complete_lifetime() {
  if (!lifetime_given[0] && !lifetime_given[1]) return true;
  if (lifetime.ifa_valid == 0)
    return fail(lifetime_span, "'valid_lft' 0 is no lifetime; to remove the address write 'addr del'");
  if (lifetime.ifa_valid < lifetime.ifa_prefered) {
    return fail(lifetime_span, "'preferred_lft' is longer than 'valid_lft'");
  }
  put(kLifetime, lifetime_span, keep({reinterpret_cast<const char*>(&lifetime), sizeof lifetime}));
  return true;
}

bool parse_flush_to(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "an address");
  IpPrefix prefix;
  if (word == nullptr || !addr(parser).prefix(keyword, *word, prefix)) return false;
  Value value = parser.keep(prefix.address.view());
  value.family = prefix.address.family;
  parser.op.header.prefix_length = prefix.length;
  parser.put(row, parser.since(keyword), value);
  return true;
}

bool parse_flush_scope(Parser& parser, const Row& row, const Argument& keyword) {
  if (!parse_scope(parser, row, keyword)) return false;
  parser.put(row, parser.since(keyword), Value::of_number(parser.op.header.scope, 1));
  return true;
}

bool refuse(Parser& parser, const Row&, const Argument& keyword) { return parser.unsupported(keyword); }

constexpr Row kFlushRows[] = {
    {.keyword = "to",
     .option = Option::FilterTo,
     .type = ValueType::Custom,
     .attribute = IFA_ADDRESS,
     .parse = parse_flush_to},
    {.keyword = "scope",
     .option = Option::FilterScope,
     .type = ValueType::Custom,
     .place = Place::Header,
     .parse = parse_flush_scope},
    {.keyword = "label", .option = Option::FilterLabel, .type = ValueType::TextNul, .attribute = IFA_LABEL, .max = 15},
    kDev,
    custom("up", refuse),
    custom("group", refuse),
    custom("master", refuse),
    custom("vrf", refuse),
    custom("nomaster", refuse),
    custom("type", refuse),
    custom("dynamic", refuse),
    custom("permanent", refuse),
    custom("primary", refuse),
    custom("secondary", refuse),
    custom("temporary", refuse),
    custom("tentative", refuse),
    custom("deprecated", refuse),
    custom("dadfailed", refuse),
};

}  // namespace

bool parse_addr(const ParseContext& context, std::string_view command, Verb verb) {
  return AddrParser(context, command, verb).parse();
}

bool parse_addr_flush(const ParseContext& context) {
  AddrParser parser(context, "addr flush", Verb::Flush);
  while (const Argument* word = parser.peek()) {
    parser.advance();
    if (word->kind != ArgumentKind::Word) continue;
    if (const Row* row = find_row(kFlushRows, word->text)) {
      if (!parser.option(*row, *word)) return false;
      continue;
    }
    if (!parser.op.name.empty()) {
      return parser.unknown_option(*word, {{"to", "scope", "label", "dev"}});
    }
    parser.op.name = word->text;
    parser.op.name_span = word->span;
    if (!parser.link_name(*word)) return false;
  }
  if (parser.op.name.empty()) return parser.fail(context.statement, "'addr flush' needs 'dev LINK'");
  return parser.finish();
}

}  // namespace netbatch
