#include <linux/netlink.h>

#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

constexpr std::string_view kMacNeeds = "an Ethernet address";

constexpr Choice kModes[] = {{"private", MACVLAN_MODE_PRIVATE},
                             {"vepa", MACVLAN_MODE_VEPA},
                             {"bridge", MACVLAN_MODE_BRIDGE},
                             {"passthru", MACVLAN_MODE_PASSTHRU},
                             {"source", MACVLAN_MODE_SOURCE}};

constexpr Row kMode = kind_choice("mode", IFLA_MACVLAN_MODE, 4, kModes);
constexpr Row kAddress = kind_custom("macaddr", IFLA_MACVLAN_MACADDR, nullptr);
constexpr Row kAddressList = kind_custom("macaddr", IFLA_MACVLAN_MACADDR_DATA, nullptr);

void add_flag(Parser& parser, const Row& row, const Argument& keyword, uint16_t flag) {
  const Attr* old = parser.find(row);
  parser.put(row, keyword.span, Value::of_number(flag | (old != nullptr ? old->value.number : 0), 2));
}

bool parse_flag(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "'nopromisc', 'nodst' or 'null'";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  const bool nopromisc = word->text == "nopromisc";
  const bool nodst = word->text == "nodst";
  if (!nopromisc && !nodst && word->text != "null") return parser.needs(keyword, kNeeds, word);
  add_flag(parser, row, *word, nopromisc ? MACVLAN_FLAG_NOPROMISC : nodst ? MACVLAN_FLAG_NODST : 0);
  return true;
}

template <uint16_t kFlag>
bool parse_flag_word(Parser& parser, const Row& row, const Argument& keyword) {
  add_flag(parser, row, keyword, kFlag);
  return true;
}

bool read_address(const Argument& word, std::array<uint8_t, 32>& bytes) { return read_mac(word.text, bytes) == 6; }

bool parse_one_address(Parser& parser, const Argument& verb) {
  const Argument* word = parser.value(verb, kMacNeeds);
  if (word == nullptr) return false;
  std::array<uint8_t, 32> bytes;
  if (!read_address(*word, bytes)) return parser.needs(verb, kMacNeeds, word);
  parser.append(kAddress, joined(verb.span, word->span), parser.keep({reinterpret_cast<const char*>(bytes.data()), 6}));
  return true;
}

// The addresses that follow, as long as they are some.
bool parse_addresses(Parser& parser, const Argument& verb) {
  struct Entry {
    nlattr header;
    uint8_t bytes[8];  // with two of padding
  };
  std::string list;
  std::array<uint8_t, 32> bytes;
  Span span = verb.span;
  for (const Argument* word = parser.next_word(); word != nullptr && read_address(*word, bytes);
       word = parser.next_word()) {
    Entry entry{{NLA_HDRLEN + 6, IFLA_MACVLAN_MACADDR}, {}};
    for (size_t i = 0; i < 6; ++i) entry.bytes[i] = bytes[i];
    list.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    span.end = word->span.end;
    parser.advance();
  }
  parser.append(kAddressList, span, parser.keep(list));
  return true;
}

bool parse_macaddr(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "'add', 'del', 'set' or 'flush'";
  constexpr Choice kVerbs[] = {{"add", MACVLAN_MACADDR_ADD},
                               {"del", MACVLAN_MACADDR_DEL},
                               {"set", MACVLAN_MACADDR_SET},
                               {"flush", MACVLAN_MACADDR_FLUSH}};
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  for (const Choice& verb : kVerbs) {
    if (word->text != verb.name) continue;
    parser.put(row, joined(keyword.span, word->span), Value::of_number(verb.value, 4));
    if (verb.value == MACVLAN_MACADDR_FLUSH) return true;
    return verb.value == MACVLAN_MACADDR_SET ? parse_addresses(parser, *word) : parse_one_address(parser, *word);
  }
  return parser.needs(keyword, kNeeds, word);
}

constexpr Row kFlag = kind_custom("flag", IFLA_MACVLAN_FLAGS, parse_flag);

constexpr Row kRows[] = {
    kMode,
    kFlag,
    kind_custom("macaddr", IFLA_MACVLAN_MACADDR_MODE, parse_macaddr),
    kind_custom("nopromisc", IFLA_MACVLAN_FLAGS, parse_flag_word<MACVLAN_FLAG_NOPROMISC>),
    kind_custom("nodst", IFLA_MACVLAN_FLAGS, parse_flag_word<MACVLAN_FLAG_NODST>),
    kind_number("bcqueuelen", ValueType::U32, IFLA_MACVLAN_BC_QUEUE_LEN),
};

bool finish(Parser& parser, Verb) {
  const Attr* flags = parser.find(kFlag);
  if (flags == nullptr || (flags->value.number & MACVLAN_FLAG_NOPROMISC) == 0) return true;
  const Attr* mode = parser.find(kMode);
  if (mode != nullptr && mode->value.number == MACVLAN_MODE_PASSTHRU) return true;
  return parser.fail(flags->span, "'nopromisc' is for 'mode passthru' only");
}

}  // namespace

constexpr Kind kMacvlan{.name = "macvlan", .rows = kRows, .needs_link = true, .finish = finish};
constexpr Kind kMacvtap{.name = "macvtap", .rows = kRows, .needs_link = true, .finish = finish};

}  // namespace netbatch
