// The options of every link, in the order in which iproute2's iplink_parse() compares them: where several keywords
// begin with the word, the first row wins.
//
// Fusion::order, from net/core/rtnetlink.c do_setlink() of 6.1 and later. It applies, in this order: the move to
// another namespace; address, MTU, group, name, alias, broadcast; `down`; master; the other flags; carrier; txqueuelen;
// gso_*; operstate; link mode; IFLA_AF_SPEC; protodown. Those with the number 2 do not see each other, so their order
// is free.
//   * A move ends with the link down and without addresses, master and so on: nothing may go before it that it undoes.
//   * address before up decides the fe80:: address; mtu and address may be refused by a driver when up.
//   * `down` goes before master since 6.8 (and 6.1.77, 6.6.16), so that a bond takes the port; before that it went
//   after,
//     and the request fails.
// Fusion::create_order, from rtnl_create_link(), register_netdevice(), rtnl_configure_link() and do_set_master(), in
// this order. What is set before the link is registered (1) is set at once to everybody else. Flags and master (2): the
// one that would not have been allowed by the other fails here, too. IFLA_IFALIAS is not looked at by a creation.
#include <linux/if.h>
#include <linux/if_link.h>

#include "interpreter/kinds.hpp"
#include "interpreter/link.hpp"
#include "interpreter/names.hpp"

namespace netbatch {
namespace {

constexpr int64_t kMaxInt = 0x7fffffff;  // iproute2 reads these as int

constexpr Choice kModes[] = {{"default", 0}, {"dormant", 1}};
constexpr Choice kStates[] = {{"UNKNOWN", 0}, {"NOTPRESENT", 1}, {"DOWN", 2}, {"LOWERLAYERDOWN", 3},
                              {"TESTING", 4}, {"DORMANT", 5},    {"UP", 6}};
constexpr Choice kAddrGenModes[] = {{"eui64", IN6_ADDR_GEN_MODE_EUI64},
                                    {"none", IN6_ADDR_GEN_MODE_NONE},
                                    {"stable_secret", IN6_ADDR_GEN_MODE_STABLE_PRIVACY},
                                    {"random", IN6_ADDR_GEN_MODE_RANDOM}};

bool unsupported(Parser& parser, const Row&, const Argument& keyword) { return parser.unsupported(keyword); }

bool parse_group(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "a group's name or number");
  if (word == nullptr) return false;
  uint32_t group = 0;
  if (!find_name(NameFile::Group, word->text, group)) {
    parser.needs(keyword, "a group's name or number", word);
    parser.note("names of groups are in /etc/iproute2/group");
    return false;
  }
  parser.put(row, joined(keyword.span, word->span), Value::of_number(group, 4));
  return true;
}

constexpr Row flag(std::string_view keyword, Match match, uint64_t bit, bool inverted = false) {
  return {.keyword = keyword,
          .option = Option::Flag,
          .match = match,
          .type = ValueType::Flag,
          .place = Place::Header,
          .attribute = kHeaderFlags,
          .fixed = bit,
          .inverted = inverted,
          .fusion = {5, 2}};
}

constexpr Row not_yet(std::string_view keyword, Match match = Match::Exact) {
  return {.keyword = keyword, .match = match, .type = ValueType::Custom, .parse = unsupported};
}

constexpr Row queue_length(std::string_view keyword, Match match) {
  return {.keyword = keyword,
          .option = Option::TxQueueLen,
          .match = match,
          .type = ValueType::U32,
          .attribute = IFLA_TXQLEN,
          .max = kMaxInt,
          .once = true,
          .fusion = {7, 1, true}};
}

constexpr Row queues(std::string_view keyword, uint16_t attribute) {
  return {.keyword = keyword,
          .match = Match::Prefix,
          .type = ValueType::U32,
          .attribute = attribute,
          .max = kMaxInt,
          .once = true};
}

constexpr Row segments(std::string_view keyword, uint16_t attribute, int64_t max) {
  return {.keyword = keyword, .type = ValueType::U32, .attribute = attribute, .max = max, .fusion = {8, 1}};
}

constexpr Row kRows[] = {
    {.keyword = "up",
     .option = Option::Up,
     .type = ValueType::FlagSet,
     .place = Place::Header,
     .attribute = kHeaderFlags,
     .fixed = IFF_UP,
     .width = 1,
     .fusion = {5, 2}},
    {.keyword = "down",
     .option = Option::Down,
     .type = ValueType::FlagClear,
     .place = Place::Header,
     .attribute = kHeaderFlags,
     .fixed = IFF_UP,
     .width = 1,
     .fusion = {3, 0}},
    {.keyword = "name", .option = Option::Name, .type = ValueType::TextNul, .attribute = IFLA_IFNAME, .fusion = {2, 1}},
    {.keyword = "index",
     .option = Option::Index,
     .type = ValueType::U32,
     .place = Place::Header,
     .attribute = kHeaderIndex,
     .min = 1,
     .max = kMaxInt,
     .once = true},
    {.keyword = "link",
     .option = Option::Link,
     .match = Match::Prefix,
     .type = ValueType::Link,
     .attribute = IFLA_LINK},
    {.keyword = "address",
     .option = Option::Address,
     .match = Match::Prefix,
     .type = ValueType::Mac,
     .attribute = IFLA_ADDRESS,
     .fusion = {2, 1}},
    {.keyword = "broadcast",
     .match = Match::Prefix,
     .type = ValueType::Mac,
     .attribute = IFLA_BROADCAST,
     .fusion = {2, 1}},
    {.keyword = "brd", .type = ValueType::Mac, .attribute = IFLA_BROADCAST, .fusion = {2, 1}},
    queue_length("txqueuelen", Match::Prefix),
    queue_length("qlen", Match::Exact),
    queue_length("txqlen", Match::Prefix),
    {.keyword = "mtu",
     .option = Option::Mtu,
     .type = ValueType::U32,
     .attribute = IFLA_MTU,
     .max = kMaxInt,
     .once = true,
     .fusion = {2, 1}},
    not_yet("xdpgeneric"),
    not_yet("xdpdrv"),
    not_yet("xdpoffload"),
    not_yet("xdp"),
    {.keyword = "netns",
     .option = Option::Netns,
     .type = ValueType::Netns,
     .attribute = IFLA_NET_NS_FD,
     .once = true,
     .fusion = {1, 1}},
    flag("multicast", Match::Exact, IFF_MULTICAST),
    flag("allmulticast", Match::Exact, IFF_ALLMULTI),
    flag("promisc", Match::Exact, IFF_PROMISC),
    flag("trailers", Match::Exact, IFF_NOTRAILERS, true),
    flag("arp", Match::Exact, IFF_NOARP, true),
    {.keyword = "carrier", .type = ValueType::OnOff, .attribute = IFLA_CARRIER, .fusion = {6, 0}},
    not_yet("vf"),
    {.keyword = "master",
     .option = Option::Master,
     .match = Match::Prefix,
     .type = ValueType::Link,
     .attribute = IFLA_MASTER,
     .fusion = {4, 2}},
    {.keyword = "vrf", .option = Option::Master, .type = ValueType::Link, .attribute = IFLA_MASTER, .fusion = {4, 2}},
    {.keyword = "nomaster",
     .option = Option::NoMaster,
     .match = Match::Prefix,
     .attribute = IFLA_MASTER,
     .width = 4,
     .fusion = {4, 2}},
    flag("dynamic", Match::Prefix, IFF_DYNAMIC),
    {.keyword = "type", .option = Option::Type, .match = Match::Prefix},
    {.keyword = "alias",
     .option = Option::Alias,
     .match = Match::Prefix,
     .type = ValueType::Text,
     .attribute = IFLA_IFALIAS,
     .max = 255,
     .fusion = {2, 0, true}},
    {.keyword = "group",
     .option = Option::Group,
     .type = ValueType::Custom,
     .attribute = IFLA_GROUP,
     .once = true,
     .fusion = {2, 1, true},
     .parse = parse_group},
    {.keyword = "mode", .type = ValueType::Choice, .attribute = IFLA_LINKMODE, .width = 1, .choices = kModes},
    {.keyword = "state", .type = ValueType::Choice, .attribute = IFLA_OPERSTATE, .width = 1, .choices = kStates},
    queues("numtxqueues", IFLA_NUM_TX_QUEUES),
    queues("numrxqueues", IFLA_NUM_RX_QUEUES),
    {.keyword = "addrgenmode",
     .match = Match::Prefix,
     .type = ValueType::Choice,
     .place = Place::Inet6,
     .attribute = IFLA_INET6_ADDR_GEN_MODE,
     .width = 1,
     .choices = kAddrGenModes,
     .fusion = {9, 0}},
    not_yet("link-netns", Match::Prefix),
    {.keyword = "link-netnsid",
     .match = Match::Prefix,
     .type = ValueType::S32,
     .attribute = IFLA_LINK_NETNSID,
     .once = true},
    {.keyword = "protodown", .type = ValueType::OnOff, .attribute = IFLA_PROTO_DOWN, .fusion = {10, 0}},
    not_yet("protodown_reason"),
    segments("gso_max_size", IFLA_GSO_MAX_SIZE, 0),
    segments("gso_max_segs", IFLA_GSO_MAX_SEGS, 65535),
    segments("gro_max_size", IFLA_GRO_MAX_SIZE, 0),
    {.keyword = "parentdev", .type = ValueType::TextNul, .attribute = IFLA_PARENT_DEV_NAME},
};

constexpr Row kAltName = {
    .keyword = "altname", .match = Match::Prefix, .type = ValueType::TextNul, .attribute = IFLA_ALT_IFNAME};

constexpr RowTable kTable{kRows};

}  // namespace

const RowTable& link_table() { return kTable; }
std::span<const Row> link_rows() { return kRows; }
const Row& altname_row() { return kAltName; }

const Row& link_row(Option option) {
  for (const Row& row : kRows) {
    if (row.option == option) return row;
  }
  return kRows[0];
}

}  // namespace netbatch
