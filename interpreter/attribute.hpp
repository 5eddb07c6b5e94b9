// What a keyword means, as data: one row per option. A link kind is a table of such rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interpreter/command.hpp"

namespace netbatch {

enum class Match : uint8_t {
  Exact,   // iproute2 compares the whole word
  Prefix,  // iproute2 takes any prefix of it, also one that is ambiguous: the first row that matches wins
};

// How the word after the keyword is read, and what is sent.
enum class ValueType : uint8_t {
  None,  // the keyword alone; `fixed` is sent
  U8,
  U16,
  U32,
  U64,
  S32,  // a number in any base, from `min` to `max`; sent in host byte order
  Be16,
  Be32,     // the same, sent in network byte order
  OnOff,    // on|off, sent as u8 1|0
  Choice,   // one of `choices`, sent as u8/u16/u32 by `width`; a number too where `numbers` is set
  Text,     // any text up to `max` bytes, sent without NUL
  TextNul,  // with NUL
  Mac,      // a link-layer address
  Ip,       // an IPv4 or IPv6 address; `attribute` for IPv4, `attribute6` for IPv6 (0: the other family is an error)
  Link,     // a link's name: its index in the operation's namespace, resolved when it is sent
  Netns,    // a namespace by name, path or PID: a descriptor or PID when it is sent
  Flag,     // on|off: bit `fixed` of ifi_flags (Place::Header)
  FlagSet,  // None-like: sets bit `fixed` of ifi_flags (up, …); FlagClear clears it. The value is the bit: 1 or 0
  FlagClear,
  Custom,  // `parse` does it
};

// Where the attribute goes in the message.
enum class Place : uint8_t {
  Header,    // not an attribute: a field or flag of the family header
  Top,       // a top-level attribute
  InfoData,  // IFLA_LINKINFO / IFLA_INFO_DATA or IFLA_INFO_SLAVE_DATA
  Inet6,     // IFLA_AF_SPEC / AF_INET6
  Metrics,   // RTA_METRICS
  Hops,      // RTA_MULTIPATH: route_hops.hpp
};

// What the planner may do with a `link set` of it (DESIGN: "what may be fused is a column of the table").
// `order` is the order in which the kernel applies the attribute within one RTM_SETLINK, and `create_order` within one
// RTM_NEWLINK that creates; an option is fused behind another only if the kernel keeps the script's order. Options with
// the same number commute (link_rows.cpp says why). 0: never fused. Source: net/core/rtnetlink.c do_setlink,
// rtnl_create_link, rtnl_newlink_create; DESIGN section 5.
struct Fusion {
  uint8_t order = 0;
  uint8_t create_order = 0;
  bool inert = false;  // commutes with everything but itself (alias, group, txqueuelen)
};

struct Choice {
  std::string_view name;
  uint32_t value;
};

struct Row;
class Parser;
struct Attr;

// Which option a row is, for the code that treats some of them specially. Rows that are aliases share it.
enum class Option : uint8_t {
  Other,
  Name,  // `link set … name NEW`: an Attr only when the name differs from the link's
  Type,
  Link,
  Index,
  Address,
  TxQueueLen,
  Mtu,
  Netns,
  Flag,  // arp, multicast, promisc …
  Up,
  Down,
  Master,
  NoMaster,
  Alias,
  Group,
  Dev,  // addr, route: the device
  // addr flush: the filters
  FilterTo,
  FilterScope,
  FilterLabel,
};

struct Row {
  std::string_view keyword;
  Option option = Option::Other;
  Match match = Match::Exact;
  ValueType type = ValueType::None;
  Place place = Place::Top;
  uint16_t attribute = 0;   // IFLA_*, IFLA_VLAN_*, RTA_* …; Header: which field
  uint16_t attribute6 = 0;  // ValueType::Ip only
  uint64_t fixed = 0;       // what None sends, or the flag bit
  int64_t min = 0;
  int64_t max = 0;       // 0: the type's own largest value
  uint8_t width = 0;     // bytes sent by None and Choice
  bool numbers = false;  // Choice: a number is accepted too
  std::span<const Choice> choices{};
  bool inverted = false;  // Flag: `on` clears the bit (arp, trailers)
  bool once = false;      // given twice is an error; else the later one counts
  Fusion fusion{};
  bool (*parse)(Parser&, const Row&, const Argument& keyword) = nullptr;  // ValueType::Custom
};

}  // namespace netbatch
