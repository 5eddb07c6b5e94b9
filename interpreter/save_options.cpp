// A kind's table, read backwards: from what the kernel shows to words.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_bonding.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/if_vlan.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "interpreter/kinds/all.hpp"
#include "interpreter/save_text.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

template <class Struct>
Struct struct_of(Bytes bytes) {
  Struct data{};
  std::memcpy(&data, bytes.data(), std::min(bytes.size(), sizeof data));
  return data;
}

std::string protocol(std::string_view keyword, Bytes bytes) {
  const uint16_t number = ntohs(struct_of<uint16_t>(bytes));
  const std::string value = number == 0x88a8 ? "802.1ad" : number == 0x8100 ? "802.1Q" : fmt::format("{:#x}", number);
  return fmt::format(" {} {}", keyword, value);
}

std::string vlan_flags(std::string_view, Bytes bytes) {
  constexpr std::pair<uint32_t, std::string_view> kFlags[] = {{VLAN_FLAG_GVRP, "gvrp"},
                                                              {VLAN_FLAG_MVRP, "mvrp"},
                                                              {VLAN_FLAG_LOOSE_BINDING, "loose_binding"},
                                                              {VLAN_FLAG_BRIDGE_BINDING, "bridge_binding"}};
  const uint32_t flags = struct_of<ifla_vlan_flags>(bytes).flags;
  std::string words = (flags & VLAN_FLAG_REORDER_HDR) != 0 ? "" : " reorder_hdr off";
  for (const auto& [bit, name] : kFlags)
    if ((flags & bit) != 0) words += fmt::format(" {} on", name);
  return words;
}

std::string qos_map(std::string_view keyword, Bytes bytes) {
  std::string words;
  netlink::AttributeReader reader(bytes);
  for (netlink::Attribute entry; reader.next(entry);) {
    const auto mapping = struct_of<ifla_vlan_qos_mapping>(entry.payload);
    words += fmt::format(" {}:{}", mapping.from, mapping.to);
  }
  return words.empty() ? words : fmt::format(" {}{}", keyword, words);
}

std::string bridge_bits(std::string_view, Bytes bytes) {
  const uint32_t bits = struct_of<br_boolopt_multi>(bytes).optval;
  return fmt::format("{}{}", (bits & 1U << BR_BOOLOPT_NO_LL_LEARN) != 0 ? " no_linklocal_learn 1" : "",
                     (bits & 1U << BR_BOOLOPT_MCAST_VLAN_SNOOPING) != 0 ? " mcast_vlan_snooping 1" : "");
}

std::string macvlan_flags(std::string_view, Bytes bytes) {
  const auto flags = struct_of<uint16_t>(bytes);
  return fmt::format("{}{}", (flags & MACVLAN_FLAG_NOPROMISC) != 0 ? " nopromisc" : "",
                     (flags & MACVLAN_FLAG_NODST) != 0 ? " nodst" : "");
}

std::string macvlan_sources(std::string_view, Bytes bytes) {
  std::string words;
  netlink::AttributeReader reader(bytes);
  for (netlink::Attribute entry; reader.next(entry);) words += " " + mac_text(entry.payload);
  return words.empty() ? words : " macaddr set" + words;
}

std::string tos(std::string_view, Bytes bytes) {
  const auto value = struct_of<uint8_t>(bytes);
  return value == 1 ? " tos inherit" : fmt::format(" tos {:#x}", value);
}

std::string source_ports(std::string_view, Bytes bytes) {
  const auto range = struct_of<ifla_vxlan_port_range>(bytes);
  return fmt::format(" srcport {} {}", ntohs(range.low), ntohs(range.high));
}

std::string targets(std::string_view keyword, Bytes bytes) {
  std::string words;
  netlink::AttributeReader reader(bytes);
  for (netlink::Attribute entry; reader.next(entry);)
    words += fmt::format("{}{}", words.empty() ? "" : ",", ip_text(entry.payload));
  return words.empty() ? words : fmt::format(" {} {}", keyword, words);
}

std::string ttl_inherit(std::string_view, Bytes) { return " ttl inherit"; }
std::string presence(std::string_view keyword, Bytes) { return fmt::format(" {}", keyword); }
std::string nothing(std::string_view, Bytes) { return ""; }

struct Writer {
  const Kind* kind;
  uint16_t attribute;
  std::string (*write)(std::string_view keyword, Bytes);
};
const Writer kWriters[] = {
    {&kBridge, IFLA_BR_VLAN_PROTOCOL, protocol},
    {&kBridge, IFLA_BR_MULTI_BOOLOPT, bridge_bits},
    {&kBridge, IFLA_BR_FDB_FLUSH, nothing},
    {&kBridgeSlave, IFLA_BRPORT_FLUSH, nothing},
    {&kBridgeSlave, IFLA_BRPORT_STATE, nothing},
    {&kVlan, IFLA_VLAN_PROTOCOL, protocol},
    {&kVlan, IFLA_VLAN_FLAGS, vlan_flags},
    {&kVlan, IFLA_VLAN_INGRESS_QOS, qos_map},
    {&kVlan, IFLA_VLAN_EGRESS_QOS, qos_map},
    {&kMacvlan, IFLA_MACVLAN_FLAGS, macvlan_flags},
    {&kMacvlan, IFLA_MACVLAN_MACADDR_MODE, nothing},
    {&kMacvtap, IFLA_MACVLAN_FLAGS, macvlan_flags},
    {&kMacvtap, IFLA_MACVLAN_MACADDR_MODE, nothing},
    {&kVxlan, IFLA_VXLAN_TOS, tos},
    {&kVxlan, IFLA_VXLAN_PORT_RANGE, source_ports},
    {&kVxlan, IFLA_VXLAN_GBP, presence},
    {&kVxlan, IFLA_VXLAN_GPE, presence},
    {&kGeneve, IFLA_GENEVE_TOS, tos},
    {&kGeneve, IFLA_GENEVE_COLLECT_METADATA, presence},
    {&kGeneve, IFLA_GENEVE_INNER_PROTO_INHERIT, presence},
    {&kBond, IFLA_BOND_ACTIVE_SLAVE, nothing},
    {&kBond, IFLA_BOND_PRIMARY, nothing},  // when the ports are there
    {&kBond, IFLA_BOND_ARP_IP_TARGET, targets},
    {&kBond, IFLA_BOND_NS_IP6_TARGET, targets},
};
// Attributes without a row that a row's word stands for.
const Writer kOthers[] = {
    {&kMacvlan, IFLA_MACVLAN_MACADDR_DATA, macvlan_sources},
    {&kMacvtap, IFLA_MACVLAN_MACADDR_DATA, macvlan_sources},
    {&kVxlan, IFLA_VXLAN_TTL_INHERIT, ttl_inherit},
    {&kGeneve, IFLA_GENEVE_TTL_INHERIT, ttl_inherit},
};

// What a new link of the kind has, as read in host byte order, where that is not 0. Source: a new link of each kind on
// Linux 6.1 and later; drivers/net/bonding/bond_main.c, net/bridge/br_device.c.
constexpr uint64_t kAlways = UINT64_MAX;  // written whatever it is
struct Default {
  const Kind* kind;
  uint16_t attribute;
  uint64_t value;
};
const Default kDefaults[] = {
    {&kBridge, IFLA_BR_FORWARD_DELAY, 1500},
    {&kBridge, IFLA_BR_HELLO_TIME, 200},
    {&kBridge, IFLA_BR_MAX_AGE, 2000},
    {&kBridge, IFLA_BR_AGEING_TIME, 30000},
    {&kBridge, IFLA_BR_PRIORITY, 0x8000},
    {&kBridge, IFLA_BR_VLAN_PROTOCOL, 0x0081},
    {&kBridge, IFLA_BR_GROUP_ADDR, 0x0000'00c2'8001},
    {&kBridge, IFLA_BR_VLAN_DEFAULT_PVID, 1},
    {&kBridge, IFLA_BR_MCAST_ROUTER, 1},
    {&kBridge, IFLA_BR_MCAST_SNOOPING, 1},
    {&kBridge, IFLA_BR_MCAST_HASH_ELASTICITY, 16},
    {&kBridge, IFLA_BR_MCAST_HASH_MAX, 4096},
    {&kBridge, IFLA_BR_MCAST_LAST_MEMBER_CNT, 2},
    {&kBridge, IFLA_BR_MCAST_STARTUP_QUERY_CNT, 2},
    {&kBridge, IFLA_BR_MCAST_LAST_MEMBER_INTVL, 100},
    {&kBridge, IFLA_BR_MCAST_MEMBERSHIP_INTVL, 26000},
    {&kBridge, IFLA_BR_MCAST_QUERIER_INTVL, 25500},
    {&kBridge, IFLA_BR_MCAST_QUERY_INTVL, 12500},
    {&kBridge, IFLA_BR_MCAST_QUERY_RESPONSE_INTVL, 1000},
    {&kBridge, IFLA_BR_MCAST_STARTUP_QUERY_INTVL, 3125},
    {&kBridge, IFLA_BR_MCAST_IGMP_VERSION, 2},
    {&kBridge, IFLA_BR_MCAST_MLD_VERSION, 1},
    {&kBridgeSlave, IFLA_BRPORT_PRIORITY, 32},
    {&kBridgeSlave, IFLA_BRPORT_LEARNING, 1},
    {&kBridgeSlave, IFLA_BRPORT_UNICAST_FLOOD, 1},
    {&kBridgeSlave, IFLA_BRPORT_MCAST_FLOOD, 1},
    {&kBridgeSlave, IFLA_BRPORT_BCAST_FLOOD, 1},
    {&kBridgeSlave, IFLA_BRPORT_MULTICAST_ROUTER, 1},
    {&kVlan, IFLA_VLAN_PROTOCOL, 0x0081},
    {&kVlan, IFLA_VLAN_ID, kAlways},
    {&kMacvlan, IFLA_MACVLAN_MODE, kAlways},
    {&kMacvtap, IFLA_MACVLAN_MODE, kAlways},
    {&kMacvlan, IFLA_MACVLAN_BC_QUEUE_LEN, 1000},
    {&kMacvtap, IFLA_MACVLAN_BC_QUEUE_LEN, 1000},
    {&kIpvlan, IFLA_IPVLAN_MODE, kAlways},
    {&kIpvtap, IFLA_IPVLAN_MODE, kAlways},
    {&kVrf, IFLA_VRF_TABLE, kAlways},
    {&kVxlan, IFLA_VXLAN_ID, kAlways},
    {&kVxlan, IFLA_VXLAN_LEARNING, 1},  // iproute2's, which `link add` sends
    {&kVxlan, IFLA_VXLAN_AGEING, 300},
    {&kVxlan, IFLA_VXLAN_UDP_CSUM, 1},
    {&kVxlan, IFLA_VXLAN_PORT, 0x1821},  // 8472
    {&kGeneve, IFLA_GENEVE_ID, kAlways},
    {&kGeneve, IFLA_GENEVE_PORT, 0xc117},  // 6081
    {&kGeneve, IFLA_GENEVE_UDP_CSUM, kAlways},
    {&kGeneve, IFLA_GENEVE_UDP_ZERO_CSUM6_TX, kAlways},
    {&kGeneve, IFLA_GENEVE_UDP_ZERO_CSUM6_RX, kAlways},
    {&kBond, IFLA_BOND_USE_CARRIER, 1},
    {&kBond, IFLA_BOND_RESEND_IGMP, 1},
    {&kBond, IFLA_BOND_NUM_PEER_NOTIF, 1},
    {&kBond, IFLA_BOND_LP_INTERVAL, 1},
    {&kBond, IFLA_BOND_PACKETS_PER_SLAVE, 1},
    {&kBond, IFLA_BOND_TLB_DYNAMIC_LB, 1},
    {&kBond, IFLA_BOND_AD_LACP_ACTIVE, 1},
    {&kBond, IFLA_BOND_MISSED_MAX, 2},
    {&kBond, IFLA_BOND_AD_ACTOR_SYS_PRIO, 65535},
};

uint64_t default_of(const Kind& kind, uint16_t attribute) {
  for (const Default& each : kDefaults)
    if (each.kind == &kind && each.attribute == attribute) return each.value;
  return 0;
}

// Clocks come back one tick lower than they were set on some kernels.
bool is_default(const Kind& kind, const Attributes& options, uint16_t attribute) {
  const uint64_t number = options.number(attribute);
  const uint64_t expected = default_of(kind, attribute);
  return number == expected || (&kind == &kBridge && expected > 1000 && number + 1 == expected);
}

const Writer* find_writer(const Kind& kind, uint16_t attribute) {
  for (const Writer& writer : kWriters)
    if (writer.kind == &kind && writer.attribute == attribute) return &writer;
  return nullptr;
}

std::string choice(const Row& row, uint64_t number) {
  for (const Choice& each : row.choices)
    if (each.value == number) return std::string(each.name);
  return std::to_string(number);
}

bool multicast(Bytes ip) {
  const auto first = struct_of<uint8_t>(ip);
  return ip.size() == 4 ? first >> 4u == 0xe : first == 0xff;
}

// The words of one row for a value that it can be, or nothing when another row of the same attribute has to.
std::optional<std::string> row_words(const Row& row, uint64_t number, Bytes bytes, SavedNamespace& space) {
  switch (row.type) {
    case ValueType::None:
      return row.fixed == number ? std::optional(fmt::format(" {}", row.keyword)) : std::nullopt;
    case ValueType::OnOff:
      return fmt::format(" {} {}", row.keyword, number != 0 ? "on" : "off");
    case ValueType::S32:
      return fmt::format(" {} {}", row.keyword, static_cast<int32_t>(number));
    case ValueType::Be16:
      return fmt::format(" {} {}", row.keyword, ntohs(static_cast<uint16_t>(number)));
    case ValueType::Be32:
      return fmt::format(" {} {}", row.keyword, ntohl(static_cast<uint32_t>(number)));
    case ValueType::Choice:
      return fmt::format(" {} {}", row.keyword, choice(row, number));
    case ValueType::Mac:
      return fmt::format(" {} {}", row.keyword, mac_text(bytes));
    case ValueType::Ip:
      if (row.attribute == IFLA_VXLAN_GROUP && row.attribute6 == IFLA_VXLAN_GROUP6 &&
          multicast(bytes) != (row.fixed != 0))
        return {};
      return fmt::format(" {} {}", row.keyword, ip_text(bytes));
    case ValueType::Link: {
      const SavedLink* link = space.find(static_cast<int>(number));
      return link == nullptr ? "" : fmt::format(" {} {}", row.keyword, word_of(link->name));
    }
    default:
      return fmt::format(" {} {}", row.keyword, number);
  }
}

// `external` excludes them.
bool excluded(const Kind& kind, const Attributes& options, uint16_t attribute) {
  if (&kind == &kVxlan && options.number(IFLA_VXLAN_COLLECT_METADATA) != 0)
    return attribute == IFLA_VXLAN_ID || attribute == IFLA_VXLAN_LEARNING;
  return &kind == &kGeneve && options.has(IFLA_GENEVE_COLLECT_METADATA) && attribute == IFLA_GENEVE_ID;
}

}  // namespace

std::string option_words(const Kind& kind, const Attributes& options, SavedNamespace& space) {
  std::string words;
  std::set<uint16_t> written;
  for (const Row& row : kind.rows) {
    const bool second = row.attribute6 != 0 && !options.has(row.attribute);
    const uint16_t attribute = second ? row.attribute6 : row.attribute;
    if (!options.has(attribute) || written.contains(attribute) || excluded(kind, options, attribute)) continue;
    const Bytes bytes = options.bytes(attribute);
    std::optional<std::string> more;
    if (!bytes.empty() && is_default(kind, options, attribute)) {
      more = "";
    } else if (const Writer* writer = find_writer(kind, attribute)) {
      more = writer->write(row.keyword, bytes);
    } else {
      more = row_words(row, options.number(attribute), bytes, space);
    }
    if (!more) continue;
    written.insert(attribute);
    words += *more;
  }
  for (const Writer& other : kOthers) {
    const bool there = other.kind == &kind && options.has(other.attribute);
    const bool on = options.bytes(other.attribute).empty() || options.number(other.attribute) != 0;
    if (there && on) words += other.write("", options.bytes(other.attribute));
  }
  return words;
}

}  // namespace netbatch
