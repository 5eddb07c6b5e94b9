#include "interpreter/neigh.hpp"

#include <fmt/format.h>
#include <linux/neighbour.h>

#include "interpreter/names.hpp"

namespace netbatch {
namespace {

class NeighParser : public Parser {
 public:
  NeighParser(const ParseContext& context, std::string_view command_name, Verb verb)
      : Parser(context, command_name, Object::Neigh, verb) {
    op.header.state = NUD_PERMANENT;
  }
  bool parse();
  bool destination(const Argument& keyword, const Argument& word);

 private:
  bool word(const Argument& word);
};

constexpr Row kDestination{.keyword = "to", .type = ValueType::Ip, .attribute = NDA_DST, .attribute6 = NDA_DST};
constexpr Row kAddress{.keyword = "lladdr", .type = ValueType::Mac, .attribute = NDA_LLADDR};
constexpr Row kFlags{.keyword = "managed", .type = ValueType::U32, .attribute = NDA_FLAGS_EXT};

struct State {
  std::string_view keyword;
  Match match;
  uint16_t state;
};
constexpr State kStates[] = {
    {"permanent", Match::Prefix, NUD_PERMANENT}, {"reachable", Match::Prefix, NUD_REACHABLE},
    {"noarp", Match::Exact, NUD_NOARP},          {"none", Match::Exact, NUD_NONE},
    {"stale", Match::Exact, NUD_STALE},          {"incomplete", Match::Exact, NUD_INCOMPLETE},
    {"delay", Match::Exact, NUD_DELAY},          {"probe", Match::Exact, NUD_PROBE},
    {"failed", Match::Prefix, NUD_FAILED},
};

bool parse_address(Parser& parser, const Row&, const Argument& keyword) {
  constexpr std::string_view kNeeds = "a link-layer address, or 'null'";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr || word->text == "null") return word != nullptr;
  std::array<uint8_t, 32> bytes;
  const size_t size = read_mac(word->text, bytes);
  if (size == 0) return parser.needs(keyword, kNeeds, word);
  parser.put(kAddress, parser.since(keyword), parser.keep({reinterpret_cast<const char*>(bytes.data()), size}));
  return true;
}

bool parse_state(Parser& parser, const Row&, const Argument& keyword) {
  constexpr std::string_view kNeeds = "'permanent', 'noarp', 'reachable', 'stale' or another state";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  for (const State& state : kStates) {
    if (!word_matches(word->text, state.keyword, state.match)) continue;
    parser.op.header.state = state.state;
    return true;
  }
  uint64_t number = 0;
  const bool good = read_unsigned(word->text, number) == NumberError::None && number < 0x100;
  if (!good || (number & (number - 1)) != 0) return parser.needs(keyword, kNeeds, word);
  parser.op.header.state = static_cast<uint16_t>(number);
  return true;
}

bool parse_proxy(Parser& parser, const Row&, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "an IP address");
  parser.op.header.flags |= NTF_PROXY;
  return word != nullptr && static_cast<NeighParser&>(parser).destination(keyword, *word);
}

bool parse_flag(Parser& parser, const Row& row, const Argument&) {
  parser.op.header.flags |= static_cast<uint32_t>(row.fixed);
  return true;
}

bool parse_managed(Parser& parser, const Row&, const Argument& keyword) {
  parser.op.header.state = NUD_NONE;
  parser.put(kFlags, keyword.span, Value::of_number(NTF_EXT_MANAGED, 4));
  return true;
}

bool parse_dev(Parser& parser, const Row&, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "a link's name");
  if (word == nullptr) return false;
  parser.op.name = word->text;
  parser.op.name_span = word->span;
  return parser.link_name(*word);
}

bool parse_protocol_name(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "a routing protocol's name or number";
  const Argument* word = parser.value(keyword, kNeeds);
  uint32_t protocol = 0;
  if (word == nullptr) return false;
  if (!find_name(NameFile::Protocol, word->text, protocol)) return parser.needs(keyword, kNeeds, word);
  parser.put(row, parser.since(keyword), Value::of_number(protocol, 1));
  return true;
}

using Parse = bool (*)(Parser&, const Row&, const Argument&);

constexpr Row custom(std::string_view keyword, Match match, Parse parse, uint16_t attribute = 0, bool once = false) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Custom,
          .attribute = attribute,
          .once = once,
          .parse = parse};
}

constexpr Row flag(std::string_view keyword, Match match, uint8_t bit) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Custom,
          .place = Place::Header,
          .fixed = bit,
          .parse = parse_flag};
}

constexpr Row kRows[] = {
    custom("lladdr", Match::Prefix, parse_address, NDA_LLADDR, true),
    custom("nud", Match::Exact, parse_state),
    custom("proxy", Match::Prefix, parse_proxy),
    flag("router", Match::Exact, NTF_ROUTER),
    flag("use", Match::Exact, NTF_USE),
    custom("managed", Match::Exact, parse_managed),
    flag("extern_learn", Match::Prefix, NTF_EXT_LEARNED),
    {.keyword = "dev", .option = Option::Dev, .type = ValueType::Custom, .parse = parse_dev},
    custom("protocol", Match::Prefix, parse_protocol_name, NDA_PROTOCOL),
};

bool NeighParser::parse() {
  while (const Argument* argument = peek()) {
    advance();
    if (argument->kind == ArgumentKind::Word && !word(*argument)) return false;
  }
  if (!has(Place::Top, NDA_DST)) return fail(op.span, fmt::format("'{}' needs an IP address", command));
  if (op.name.empty() && (op.header.flags & NTF_PROXY) == 0) {
    return fail(op.span, fmt::format("'{}' needs 'dev LINK'", command));
  }
  return finish();
}

bool NeighParser::word(const Argument& word) {
  if (const Row* row = find_row(kRows, word.text)) return option(*row, word);
  if (word.text != "to") return destination(word, word);
  const Argument* address = value(word, "an IP address");
  return address != nullptr && destination(word, *address);
}

bool NeighParser::destination(const Argument& keyword, const Argument& word) {
  if (const Attr* first = find(kDestination)) {
    if (&keyword != &word) return twice(keyword, first->span);
    fail(word.span, fmt::format("'{}' has an address already, found '{}'", command, word.text));
    std::vector<std::string_view> candidates{"to"};
    for (const Row& row : kRows) candidates.push_back(row.keyword);
    suggest(word.text, candidates);
    return false;
  }
  IpAddress address;
  if (&keyword != &word) {
    if (!ip(keyword, word, op.header.family, address)) return false;
  } else if (!read_ip(word.text, op.header.family, address)) {
    fail(word.span, fmt::format("'{}' is neither an option of '{}' nor an IP address", word.text, command));
    std::vector<std::string_view> candidates{"to"};
    for (const Row& row : kRows) candidates.push_back(row.keyword);
    suggest(word.text, candidates);
    return false;
  }
  op.header.family = address.family;
  Value kept = keep(address.view());
  kept.family = address.family;
  put(kDestination, word.span, kept);
  return true;
}

}  // namespace

bool parse_neigh(const ParseContext& context, std::string_view command, Verb verb) {
  return NeighParser(context, command, verb).parse();
}

}  // namespace netbatch
