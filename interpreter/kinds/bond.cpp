#include <arpa/inet.h>
#include <linux/if_bonding.h>
#include <linux/netlink.h>

#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

constexpr Choice kModes[] = {{"balance-rr", 0}, {"active-backup", 1}, {"balance-xor", 2}, {"broadcast", 3},
                             {"802.3ad", 4},    {"balance-tlb", 5},   {"balance-alb", 6}};
constexpr Choice kArpValidate[] = {{"none", 0},   {"active", 1},        {"backup", 2},       {"all", 3},
                                   {"filter", 4}, {"filter_active", 5}, {"filter_backup", 6}};
constexpr Choice kArpAllTargets[] = {{"any", 0}, {"all", 1}};
constexpr Choice kPrimaryReselect[] = {{"always", 0}, {"better", 1}, {"failure", 2}};
constexpr Choice kFailOverMac[] = {{"none", 0}, {"active", 1}, {"follow", 2}};
constexpr Choice kXmitHashPolicy[] = {{"layer2", 0},   {"layer3+4", 1}, {"layer2+3", 2},
                                      {"encap2+3", 3}, {"encap3+4", 4}, {"vlan+srcmac", 5}};
constexpr Choice kLacpActive[] = {{"off", 0}, {"on", 1}};
constexpr Choice kLacpRate[] = {{"slow", 0}, {"fast", 1}};
constexpr Choice kAdSelect[] = {{"stable", 0}, {"bandwidth", 1}, {"count", 2}};

// Addresses with commas between them, each an attribute numbered from 0. `none` of them: an empty word.
template <uint8_t kFamily, uint16_t kMost>
bool parse_targets(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "addresses with ',' between them");
  if (word == nullptr) return false;
  std::string bytes;
  std::string_view rest = word->text;
  for (uint16_t i = 0; i < kMost && !rest.empty(); ++i) {
    const size_t comma = rest.find(',');
    const Argument part{rest.substr(0, comma), word->span, ArgumentKind::Word, false};
    IpAddress address;
    if (!parser.ip(keyword, part, kFamily, address)) return false;
    const nlattr header{static_cast<uint16_t>(NLA_HDRLEN + address.size()), i};
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header).append(address.view());
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  parser.put(row, joined(keyword.span, word->span), parser.keep(bytes));
  return true;
}

// A name, or its number in decimal.
constexpr Row choice(std::string_view keyword, uint16_t attribute, uint8_t width, std::span<const Choice> choices,
                     Match match = Match::Prefix) {
  Row row = kind_choice(keyword, attribute, width, choices, match);
  row.numbers = true;
  row.max = static_cast<int64_t>(choices.size()) - 1;
  return row;
}

constexpr ValueType kU8 = ValueType::U8;
constexpr ValueType kU16 = ValueType::U16;
constexpr ValueType kU32 = ValueType::U32;

constexpr Row kRows[] = {
    choice("mode", IFLA_BOND_MODE, 1, kModes),
    kind_number("active_slave", ValueType::Link, IFLA_BOND_ACTIVE_SLAVE),
    kind_word("clear_active_slave", IFLA_BOND_ACTIVE_SLAVE, 0, 4),
    kind_number("miimon", kU32, IFLA_BOND_MIIMON),
    kind_number("updelay", kU32, IFLA_BOND_UPDELAY),
    kind_number("downdelay", kU32, IFLA_BOND_DOWNDELAY),
    kind_number("peer_notify_delay", kU32, IFLA_BOND_PEER_NOTIF_DELAY),
    kind_number("use_carrier", kU8, IFLA_BOND_USE_CARRIER),
    kind_number("arp_interval", kU32, IFLA_BOND_ARP_INTERVAL),
    kind_custom("arp_ip_target", IFLA_BOND_ARP_IP_TARGET, parse_targets<AF_INET, 16>),
    kind_custom("ns_ip6_target", IFLA_BOND_NS_IP6_TARGET, parse_targets<AF_INET6, 16>, Match::Exact),
    choice("arp_validate", IFLA_BOND_ARP_VALIDATE, 4, kArpValidate),
    choice("arp_all_targets", IFLA_BOND_ARP_ALL_TARGETS, 4, kArpAllTargets),
    kind_number("arp_missed_max", kU8, IFLA_BOND_MISSED_MAX, 0, Match::Exact),
    kind_number("primary", ValueType::Link, IFLA_BOND_PRIMARY),
    choice("primary_reselect", IFLA_BOND_PRIMARY_RESELECT, 1, kPrimaryReselect),
    choice("fail_over_mac", IFLA_BOND_FAIL_OVER_MAC, 1, kFailOverMac),
    choice("xmit_hash_policy", IFLA_BOND_XMIT_HASH_POLICY, 1, kXmitHashPolicy),
    kind_number("resend_igmp", kU32, IFLA_BOND_RESEND_IGMP),
    kind_number("num_grat_arp", kU8, IFLA_BOND_NUM_PEER_NOTIF),
    kind_number("num_unsol_na", kU8, IFLA_BOND_NUM_PEER_NOTIF),
    kind_number("all_slaves_active", kU8, IFLA_BOND_ALL_SLAVES_ACTIVE),
    kind_number("min_links", kU32, IFLA_BOND_MIN_LINKS),
    kind_number("lp_interval", kU32, IFLA_BOND_LP_INTERVAL),
    kind_number("packets_per_slave", kU32, IFLA_BOND_PACKETS_PER_SLAVE),
    choice("lacp_rate", IFLA_BOND_AD_LACP_RATE, 1, kLacpRate),
    choice("lacp_active", IFLA_BOND_AD_LACP_ACTIVE, 1, kLacpActive, Match::Exact),
    choice("ad_select", IFLA_BOND_AD_SELECT, 1, kAdSelect),
    kind_number("ad_user_port_key", kU16, IFLA_BOND_AD_USER_PORT_KEY),
    kind_number("ad_actor_sys_prio", kU16, IFLA_BOND_AD_ACTOR_SYS_PRIO),
    kind_number("ad_actor_system", ValueType::Mac, IFLA_BOND_AD_ACTOR_SYSTEM),
    kind_number("tlb_dynamic_lb", kU8, IFLA_BOND_TLB_DYNAMIC_LB),
};

constexpr Row kSlaveRows[] = {
    kind_number("queue_id", kU16, IFLA_BOND_SLAVE_QUEUE_ID),
    kind_number("prio", ValueType::S32, IFLA_BOND_SLAVE_PRIO, 0, Match::Exact),
};

}  // namespace

constexpr Kind kBond{.name = "bond", .rows = kRows, .fuses_mtu = false, .movable = false};
constexpr Kind kBondSlave{.name = "bond_slave", .rows = kSlaveRows, .slave = true};

}  // namespace netbatch
