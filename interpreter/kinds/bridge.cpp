#include <linux/if_bridge.h>

#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

// One bit of the attribute that all boolean options of newer kernels share.
template <int kBit>
bool parse_bit(Parser& parser, const Row& row, const Argument& keyword) {
  const Argument* word = parser.value(keyword, "a number");
  uint64_t number = 0;
  if (word == nullptr || !parser.number(keyword, *word, 255, number)) return false;
  br_boolopt_multi bits{};
  if (const Attr* old = parser.find(row)) bits = as_struct<br_boolopt_multi>(old->value);
  bits.optmask |= 1U << kBit;
  bits.optval = number != 0 ? bits.optval | 1U << kBit : bits.optval & ~(1U << kBit);
  parser.put(row, joined(keyword.span, word->span), of_struct(bits));
  return true;
}

constexpr ValueType kU8 = ValueType::U8;
constexpr ValueType kU16 = ValueType::U16;
constexpr ValueType kU32 = ValueType::U32;
constexpr ValueType kU64 = ValueType::U64;

constexpr Row kRows[] = {
    kind_number("forward_delay", kU32, IFLA_BR_FORWARD_DELAY),
    kind_number("hello_time", kU32, IFLA_BR_HELLO_TIME),
    kind_number("max_age", kU32, IFLA_BR_MAX_AGE),
    kind_number("ageing_time", kU32, IFLA_BR_AGEING_TIME),
    kind_number("stp_state", kU32, IFLA_BR_STP_STATE),
    kind_number("priority", kU16, IFLA_BR_PRIORITY),
    kind_number("vlan_filtering", kU8, IFLA_BR_VLAN_FILTERING),
    kind_custom("vlan_protocol", IFLA_BR_VLAN_PROTOCOL, parse_protocol),
    kind_number("group_fwd_mask", kU16, IFLA_BR_GROUP_FWD_MASK),
    {.keyword = "group_address",
     .match = Match::Prefix,
     .type = ValueType::Mac,
     .place = Place::InfoData,
     .attribute = IFLA_BR_GROUP_ADDR},
    kind_custom("no_linklocal_learn", IFLA_BR_MULTI_BOOLOPT, parse_bit<BR_BOOLOPT_NO_LL_LEARN>, Match::Exact),
    kind_word("fdb_flush", IFLA_BR_FDB_FLUSH),
    kind_number("vlan_default_pvid", kU16, IFLA_BR_VLAN_DEFAULT_PVID),
    kind_number("vlan_stats_enabled", kU8, IFLA_BR_VLAN_STATS_ENABLED),
    kind_number("vlan_stats_per_port", kU8, IFLA_BR_VLAN_STATS_PER_PORT),
    kind_number("mcast_router", kU8, IFLA_BR_MCAST_ROUTER),
    kind_number("mcast_snooping", kU8, IFLA_BR_MCAST_SNOOPING),
    kind_custom("mcast_vlan_snooping", IFLA_BR_MULTI_BOOLOPT, parse_bit<BR_BOOLOPT_MCAST_VLAN_SNOOPING>, Match::Exact),
    kind_number("mcast_query_use_ifaddr", kU8, IFLA_BR_MCAST_QUERY_USE_IFADDR),
    kind_number("mcast_querier", kU8, IFLA_BR_MCAST_QUERIER),
    kind_number("mcast_hash_elasticity", kU32, IFLA_BR_MCAST_HASH_ELASTICITY),
    kind_number("mcast_hash_max", kU32, IFLA_BR_MCAST_HASH_MAX),
    kind_number("mcast_last_member_count", kU32, IFLA_BR_MCAST_LAST_MEMBER_CNT),
    kind_number("mcast_startup_query_count", kU32, IFLA_BR_MCAST_STARTUP_QUERY_CNT),
    kind_number("mcast_last_member_interval", kU64, IFLA_BR_MCAST_LAST_MEMBER_INTVL),
    kind_number("mcast_membership_interval", kU64, IFLA_BR_MCAST_MEMBERSHIP_INTVL),
    kind_number("mcast_querier_interval", kU64, IFLA_BR_MCAST_QUERIER_INTVL),
    kind_number("mcast_query_interval", kU64, IFLA_BR_MCAST_QUERY_INTVL),
    kind_number("mcast_query_response_interval", kU64, IFLA_BR_MCAST_QUERY_RESPONSE_INTVL),
    kind_number("mcast_startup_query_interval", kU64, IFLA_BR_MCAST_STARTUP_QUERY_INTVL),
    kind_number("mcast_stats_enabled", kU8, IFLA_BR_MCAST_STATS_ENABLED),
    kind_number("mcast_igmp_version", kU8, IFLA_BR_MCAST_IGMP_VERSION),
    kind_number("mcast_mld_version", kU8, IFLA_BR_MCAST_MLD_VERSION),
    kind_number("nf_call_iptables", kU8, IFLA_BR_NF_CALL_IPTABLES),
    kind_number("nf_call_ip6tables", kU8, IFLA_BR_NF_CALL_IP6TABLES),
    kind_number("nf_call_arptables", kU8, IFLA_BR_NF_CALL_ARPTABLES),
};

}  // namespace

// `set mtu` pins a bridge's MTU; the MTU of the creating request does not (br_set_mtu, br_mtu_auto_adjust).
constexpr Kind kBridge{.name = "bridge", .rows = kRows, .fuses_mtu = false, .movable = false};

}  // namespace netbatch
