#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

constexpr Row on_off(std::string_view keyword, uint16_t attribute) {
  return kind_number(keyword, ValueType::OnOff, attribute);
}

constexpr Row kRows[] = {
    kind_word("fdb_flush", IFLA_BRPORT_FLUSH),
    kind_number("state", ValueType::U8, IFLA_BRPORT_STATE),
    kind_number("priority", ValueType::U16, IFLA_BRPORT_PRIORITY),
    kind_number("cost", ValueType::U32, IFLA_BRPORT_COST),
    on_off("hairpin", IFLA_BRPORT_MODE),
    on_off("guard", IFLA_BRPORT_GUARD),
    on_off("root_block", IFLA_BRPORT_PROTECT),
    on_off("fastleave", IFLA_BRPORT_FAST_LEAVE),
    on_off("learning", IFLA_BRPORT_LEARNING),
    on_off("flood", IFLA_BRPORT_UNICAST_FLOOD),
    on_off("mcast_flood", IFLA_BRPORT_MCAST_FLOOD),
    on_off("bcast_flood", IFLA_BRPORT_BCAST_FLOOD),
    on_off("mcast_to_unicast", IFLA_BRPORT_MCAST_TO_UCAST),
    on_off("proxy_arp", IFLA_BRPORT_PROXYARP),
    on_off("proxy_arp_wifi", IFLA_BRPORT_PROXYARP_WIFI),
    kind_number("mcast_router", ValueType::U8, IFLA_BRPORT_MULTICAST_ROUTER),
    on_off("mcast_fast_leave", IFLA_BRPORT_FAST_LEAVE),
    on_off("neigh_suppress", IFLA_BRPORT_NEIGH_SUPPRESS),
    kind_number("group_fwd_mask", ValueType::U16, IFLA_BRPORT_GROUP_FWD_MASK),
    on_off("vlan_tunnel", IFLA_BRPORT_VLAN_TUNNEL),
    on_off("isolated", IFLA_BRPORT_ISOLATED),
    on_off("locked", IFLA_BRPORT_LOCKED),
    kind_number("backup_port", ValueType::Link, IFLA_BRPORT_BACKUP_PORT),
    kind_word("nobackup_port", IFLA_BRPORT_BACKUP_PORT, 0, 4),
};

}  // namespace

constexpr Kind kBridgeSlave{.name = "bridge_slave", .rows = kRows, .slave = true};

}  // namespace netbatch
