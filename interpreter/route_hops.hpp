// The hops of a multipath route: `nexthop via ADDRESS dev LINK weight N …`. Their links stay names until they are sent.
#pragma once

#include <string>

#include "interpreter/encoder.hpp"
#include "interpreter/parse_args.hpp"

namespace netbatch {

struct Hop {
  Span device_span;
  std::string_view device;                  // empty: none given
  std::span<const std::byte> attributes{};  // RTA_GATEWAY, RTA_VIA, RTA_FLOW, as they are sent
  uint16_t weight = 1;                      // 1 to 256
  bool onlink = false;
};

// `via [inet|inet6] ADDRESS`, as the attribute that it becomes: RTA_GATEWAY, or RTA_VIA for another family than the
// route's.
struct Gateway {
  uint16_t attribute = 0;
  std::string bytes;
};
bool read_gateway(Parser& parser, const Argument& keyword, Gateway& gateway);
// `realms [FROM/]TO`.
bool read_realms(Parser& parser, const Argument& keyword, uint32_t& realms);

// Reads hops to the end of the command and stores them as one option.
bool parse_hops(Parser& parser, const Row& row, const Argument& keyword);
// The next hop of the option's value, which loses it; false at the end.
bool next_hop(std::string_view& bytes, Hop& hop);
void put_hops(Encoder& encoder, const Attr& attr);

template <class Handle>
void each_hop(std::string_view bytes, Handle&& handle) {
  for (Hop hop; next_hop(bytes, hop);) handle(hop);
}

}  // namespace netbatch
