// The link kinds and the tables of options that all links share. A kind is one file in kinds/ with a table.
#pragma once

#include "interpreter/operation.hpp"

namespace netbatch {

struct Kind {
  std::string_view name;        // IFLA_INFO_KIND
  std::span<const Row> rows{};  // the options after `type NAME`
  bool slave = false;           // NAME_slave: options go to IFLA_INFO_SLAVE_DATA
  bool needs_link = false;      // `link DEV` is required (vlan, macvlan, …)
  bool has_peer = false;        // veth, vxcan, netkit
  uint16_t peer_attribute = 0;  // VETH_INFO_PEER
  bool fuses_mtu = true;        // false: an MTU set later is not the same as one given at creation (bridge)
  bool underlay = false;        // keeps the namespace it was created in as its underlay (vxlan): never placed elsewhere
  bool movable = true;          // false: may not change its namespace (bridge)
  // Checks and adds what depends on several options; called when there were any options or `always_finish`.
  bool (*finish)(Parser&, Verb) = nullptr;
  bool always_finish = false;
};

// Null for a kind that netbatch has no table for.
const Kind* find_kind(std::string_view name);
std::span<const Kind* const> all_kinds();

// Options of every link (also of a veth peer). `dev`, `name` and the bare name are the parser's.
std::span<const Row> link_rows();

// The row of `name NEW`, of `netns N`, of `group G` …: the first one of link_rows() with that option.
const Row& link_row(Option option);
inline const Row& rename_row() { return link_row(Option::Name); }

// What `link property` takes; sent inside IFLA_PROP_LIST.
const Row& altname_row();

}  // namespace netbatch
