#include "interpreter/route_hops.hpp"

#include <fmt/format.h>

#include <cstring>

#include "interpreter/names.hpp"

namespace netbatch {
namespace {

// How a hop is kept: this, the link's name, the attributes.
struct Stored {
  Span device_span;
  uint16_t device_size;
  uint16_t attributes_size;
  uint16_t weight;
  bool onlink;
};

void append_attribute(std::string& bytes, uint16_t type, std::string_view payload) {
  const nlattr header{static_cast<uint16_t>(sizeof header + payload.size()), type};
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += payload;
  bytes.resize(NLA_ALIGN(bytes.size()));
}

struct HopText {
  Stored stored{{}, 0, 0, 1, false};
  std::string_view device;
  std::string attributes;
};

bool read_option(Parser& parser, const Argument& word, HopText& hop) {
  if (word.text == "via") {
    Gateway gateway;
    if (!read_gateway(parser, word, gateway)) return false;
    append_attribute(hop.attributes, gateway.attribute, gateway.bytes);
    return true;
  }
  if (word.text == "dev") {
    const Argument* name = parser.value(word, "a link's name");
    if (name == nullptr || !parser.link_name(*name)) return false;
    hop.device = name->text;
    hop.stored.device_span = name->span;
    return true;
  }
  if (word.text == "weight") {
    const Argument* number = parser.value(word, "a number from 1 to 256");
    uint64_t weight = 0;
    if (number == nullptr || !parser.number(word, *number, 256, weight)) return false;
    if (weight == 0) return parser.needs(word, "a number from 1 to 256", number);
    hop.stored.weight = static_cast<uint16_t>(weight);
    return true;
  }
  if (word.text == "onlink") {
    hop.stored.onlink = true;
    return true;
  }
  if (word_matches(word.text, "realms", Match::Prefix)) {
    uint32_t realms = 0;
    if (!read_realms(parser, word, realms)) return false;
    append_attribute(hop.attributes, RTA_FLOW, {reinterpret_cast<const char*>(&realms), sizeof realms});
    return true;
  }
  if (word.text == "encap" || word.text == "as") return parser.unsupported(word);
  parser.fail(word.span, fmt::format("unknown option '{}' of 'nexthop'", word.text));
  if (!parser.suggest(word.text, {{"via", "dev", "weight", "onlink", "realms"}})) {
    parser.note("the options of the route itself stand before its first 'nexthop'");
  }
  return false;
}

void store(HopText& hop, std::string& bytes) {
  hop.stored.device_size = static_cast<uint16_t>(hop.device.size());
  hop.stored.attributes_size = static_cast<uint16_t>(hop.attributes.size());
  bytes.append(reinterpret_cast<const char*>(&hop.stored), sizeof hop.stored);
  bytes += hop.device;
  bytes += hop.attributes;
}

}  // namespace

bool read_gateway(Parser& parser, const Argument& keyword, Gateway& gateway) {
  const Argument* word = parser.value(keyword, "an IP address");
  if (word == nullptr) return false;
  uint8_t& of_route = parser.op.header.family;
  uint8_t family = of_route;
  if (word->text == "inet" || word->text == "inet6") {
    family = word->text == "inet" ? AF_INET : AF_INET6;
    word = parser.value(keyword, "an IP address");
    if (word == nullptr) return false;
  }
  IpAddress address;
  if (!parser.ip(keyword, *word, family, address)) return false;
  if (of_route == AF_UNSPEC) of_route = address.family;
  gateway.attribute = address.family == of_route ? RTA_GATEWAY : RTA_VIA;
  gateway.bytes.clear();
  if (gateway.attribute == RTA_VIA) {  // struct rtvia: the family, then the address
    const uint16_t of = address.family;
    gateway.bytes.append(reinterpret_cast<const char*>(&of), sizeof of);
  }
  gateway.bytes += address.view();
  return true;
}

bool read_realms(Parser& parser, const Argument& keyword, uint32_t& realms) {
  constexpr std::string_view kNeeds = "REALM or FROM/TO";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  const size_t slash = word->text.find('/');
  const bool both = slash != std::string_view::npos;
  const std::string_view to = both ? word->text.substr(slash + 1) : word->text;
  uint32_t from_number = 0;
  uint32_t to_number = 0;
  uint64_t raw = 0;
  if ((!both || find_name(NameFile::Realm, word->text.substr(0, slash), from_number)) &&
      (to.empty() || find_name(NameFile::Realm, to, to_number))) {
    raw = from_number << 16 | to_number;
  } else if (read_unsigned(word->text, raw) != NumberError::None || raw > UINT32_MAX) {
    return parser.needs(keyword, kNeeds, word);
  }
  realms = static_cast<uint32_t>(raw);
  return true;
}

bool parse_hops(Parser& parser, const Row& row, const Argument& keyword) {
  std::string bytes;
  const Argument* start = &keyword;
  bool more = true;
  while (more) {
    HopText hop;
    const Argument* word = parser.next_word();
    if (word == nullptr || word->text == "nexthop") return parser.needs(*start, "'via ADDRESS' or 'dev LINK'", word);
    more = false;
    for (; word != nullptr; word = parser.next_word()) {
      parser.advance();
      if (word->text == "nexthop") {
        start = word;
        more = true;
        break;
      }
      if (!read_option(parser, *word, hop)) return false;
    }
    store(hop, bytes);
  }
  parser.put(row, parser.since(keyword), parser.keep(bytes));
  return true;
}

bool next_hop(std::string_view& bytes, Hop& hop) {
  Stored stored;
  if (bytes.size() < sizeof stored) return false;
  std::memcpy(&stored, bytes.data(), sizeof stored);
  bytes.remove_prefix(sizeof stored);
  hop.device = bytes.substr(0, stored.device_size);
  hop.device_span = stored.device_span;
  bytes.remove_prefix(stored.device_size);
  hop.attributes = std::as_bytes(std::span(bytes.data(), stored.attributes_size));
  bytes.remove_prefix(stored.attributes_size);
  hop.weight = stored.weight;
  hop.onlink = stored.onlink;
  return true;
}

void put_hops(Encoder& encoder, const Attr& attr) {
  std::string bytes;
  each_hop(attr.value.text(), [&](const Hop& hop) {
    rtnexthop header{};
    header.rtnh_len = static_cast<uint16_t>(sizeof header + hop.attributes.size());
    header.rtnh_hops = static_cast<uint8_t>(hop.weight - 1);
    header.rtnh_flags = hop.onlink ? RTNH_F_ONLINK : 0;
    header.rtnh_ifindex = hop.device.empty() ? 0 : encoder.link(hop.device, hop.device_span);
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(hop.attributes.data()), hop.attributes.size());
  });
  const size_t begin = encoder.buffer().message_offset();
  encoder.buffer().put(RTA_MULTIPATH, bytes.data(), bytes.size());
  encoder.mark(begin, attr.span);
}

}  // namespace netbatch
