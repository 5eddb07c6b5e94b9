#include "interpreter/save_link.hpp"

#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_bonding.h>
#include <linux/if_link.h>
#include <unistd.h>

#include <algorithm>

#include "interpreter/save_text.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

// What a new link of the kind has: the MTU (0: it depends on others) and flags among arp (NOARP) and multicast.
// Source: new links on Linux 6.1 and later; the setup functions of drivers/net.
struct KindDefaults {
  std::string_view kind;
  uint64_t mtu;
  uint32_t flags;
  uint64_t queues;
  bool has_address;
};
constexpr KindDefaults kDefaults[] = {
    {"veth", 1500, IFF_MULTICAST, 0, true},  {"bridge", 1500, IFF_MULTICAST, 1, true},
    {"dummy", 1500, IFF_NOARP, 1, true},     {"ifb", 1500, IFF_NOARP, 1, true},
    {"bond", 1500, IFF_MULTICAST, 16, true}, {"vlan", 0, IFF_MULTICAST, 1, true},
    {"macvlan", 0, IFF_MULTICAST, 1, true},  {"macvtap", 0, IFF_MULTICAST, 1, true},
    {"ipvlan", 0, IFF_MULTICAST, 1, false},  {"ipvtap", 0, IFF_MULTICAST, 1, false},
    {"vxlan", 0, IFF_MULTICAST, 1, true},    {"geneve", 0, IFF_MULTICAST, 1, true},
    {"vrf", 65575, IFF_NOARP, 1, true},      {"nlmon", 3776, IFF_NOARP, 1, false},
    {"vcan", 72, IFF_NOARP, 1, false},       {"vxcan", 72, IFF_NOARP, 1, false},
};

const KindDefaults& defaults_of(const SavedLink& link) {
  const auto* found = std::find_if(std::begin(kDefaults), std::end(kDefaults),
                                   [&](const KindDefaults& each) { return each.kind == link.kind_name; });
  return found == std::end(kDefaults) ? kDefaults[0] : *found;
}

uint64_t mtu_of(const SavedLink& link) { return link.attributes.number(IFLA_MTU); }
std::string address_of(const SavedLink& link) { return mac_text(link.attributes.bytes(IFLA_ADDRESS)); }

bool is_bridge(const SavedLink& link) { return link.kind_name == "bridge"; }

std::vector<const SavedLink*> ports_of(const SavedLink& link, const SavedNamespace& space) {
  std::vector<const SavedLink*> ports;
  for (const SavedLink& other : space.links)
    if (other.master == &link) ports.push_back(&other);
  return ports;
}

// A bridge and a bond take theirs from their ports, a VLAN from the link below, unless they have been given one.
bool has_own_address(const SavedLink& link, const SavedNamespace& space) {
  if (!defaults_of(link).has_address || link.attributes.bytes(IFLA_ADDRESS).empty()) return false;
  if (link.kind_name == "vlan" && link.below != nullptr) return address_of(*link.below) != address_of(link);
  const auto ports = ports_of(link, space);
  if (!is_bridge(link) && link.kind_name != "bond") return true;
  return std::none_of(ports.begin(), ports.end(),
                      [&](const SavedLink* port) { return address_of(*port) == address_of(link); });
}

bool has_own_mtu(const SavedLink& link, const SavedNamespace& space) {
  if (is_bridge(link) && !ports_of(link, space).empty()) return false;  // last_settings() sees to it
  const bool follows = link.kind_name == "vlan" || link.kind_name == "macvlan" || link.kind_name == "macvtap" ||
                       link.kind_name == "ipvlan" || link.kind_name == "ipvtap";
  if (follows && link.below != nullptr) return mtu_of(*link.below) != mtu_of(link);
  return mtu_of(link) != defaults_of(link).mtu;
}

// A pair has a queue for each processor.
std::string queue_words(const SavedLink& link) {
  const uint64_t usual =
      defaults_of(link).queues != 0 ? defaults_of(link).queues : static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF));
  std::string words;
  for (const auto& [type, word] : {std::pair{IFLA_NUM_TX_QUEUES, "numtxqueues"}, {IFLA_NUM_RX_QUEUES, "numrxqueues"}}) {
    const uint64_t number = link.attributes.number(static_cast<uint16_t>(type), usual);
    if (number != usual) words += fmt::format(" {} {}", word, number);
  }
  return words;
}

std::string common_words(const SavedLink& link, const SavedNamespace& space) {
  constexpr uint64_t kQueueLength = 1000;
  std::string words;
  // The ports of a bond have the bond's address; their own is kept here.
  const Bytes own = link.port_options.bytes(IFLA_BOND_SLAVE_PERM_HWADDR);
  if (link.port_kind == "bond" && !own.empty()) {
    words += fmt::format(" address {}", mac_text(own));
  } else if (has_own_address(link, space)) {
    words += fmt::format(" address {}", address_of(link));
  }
  if (has_own_mtu(link, space)) words += fmt::format(" mtu {}", mtu_of(link));
  if (const uint64_t length = link.attributes.number(IFLA_TXQLEN, kQueueLength); length != kQueueLength)
    words += fmt::format(" txqueuelen {}", length);
  if (const uint64_t group = link.attributes.number(IFLA_GROUP); group != 0) words += fmt::format(" group {}", group);
  return words + queue_words(link);
}

std::string flag_words(const SavedLink& link) {
  struct Flag {
    uint32_t bit;
    std::string_view word;
    bool inverted;
  };
  constexpr Flag kFlags[] = {
      {IFF_NOARP, "arp", true},        {IFF_MULTICAST, "multicast", false}, {IFF_ALLMULTI, "allmulticast", false},
      {IFF_PROMISC, "promisc", false}, {IFF_NOTRAILERS, "trailers", true},  {IFF_DYNAMIC, "dynamic", false}};
  if (!link.kind_name.empty() && (link.kind_name == "ipvlan" || link.kind_name == "ipvtap")) return "";  // of the mode
  const bool loopback = (link.header.ifi_flags & IFF_LOOPBACK) != 0;
  const uint32_t usual = loopback ? 0 : defaults_of(link).flags;
  std::string words;
  for (const Flag& flag : kFlags) {
    const bool set = (link.header.ifi_flags & flag.bit) != 0;
    if (set != ((usual & flag.bit) != 0))
      words += fmt::format(" {} {}", flag.word, set != flag.inverted ? "on" : "off");
  }
  return words;
}

std::string mode_words(const SavedLink& link) {
  constexpr std::string_view kModes[] = {"eui64", "none", "stable_secret", "random"};
  const Attributes inet6 = link.attributes.nested(IFLA_AF_SPEC).nested(AF_INET6);
  const uint64_t mode = inet6.number(IFLA_INET6_ADDR_GEN_MODE);
  return mode == 0 || mode >= std::size(kModes) ? "" : fmt::format(" addrgenmode {}", kModes[mode]);
}

std::vector<std::string> alternative_names(const SavedLink& link) {
  std::vector<std::string> names;
  netlink::AttributeReader reader(link.attributes.bytes(IFLA_PROP_LIST));
  for (netlink::Attribute attribute; reader.next(attribute);)
    if (attribute.type == IFLA_ALT_IFNAME) names.emplace_back(attribute.text());
  return names;
}

// The options of a port. The kernel chooses a port's cost by its speed.
std::string port_words(const SavedLink& link, SavedNamespace& space) {
  constexpr uint64_t kFast = 2;
  constexpr uint64_t kUnknown = 100;
  const Kind* kind = find_kind(link.port_kind + "_slave");
  if (kind == nullptr) return "";
  std::string words = option_words(*kind, link.port_options, space);
  if (link.port_kind != "bridge") return words;
  const std::string cost = fmt::format(" cost {}", link.port_options.number(IFLA_BRPORT_COST));
  const bool usual = cost == fmt::format(" cost {}", link.kind_name == "veth" ? kFast : kUnknown);
  if (const size_t place = words.find(cost); usual && place != std::string::npos) words.erase(place, cost.size());
  return words;
}

}  // namespace

std::string obstacle(const SavedLink& link) {
  if (link.kind == nullptr) return fmt::format("kind '{}' cannot be made by a script", link.kind_name);
  if (!link.elsewhere) return "";
  return link.kind->has_peer ? "its peer is in a namespace that is not saved"
                             : "the link below it is in a namespace that is not saved";
}

std::string creation(const SavedLink& link, SavedNamespace& from, const std::string& netns,
                     const std::string& peer_netns) {
  std::string line = fmt::format("link add {}", name_word(link.name));
  if (link.below != nullptr && link.kind->needs_link) line += fmt::format(" link {}", word_of(link.below->name));
  line += common_words(link, from);
  if (!netns.empty()) line += fmt::format(" netns {}", word_of(netns));
  if (netns.empty() && link.master != nullptr) line += fmt::format(" master {}", word_of(link.master->name));
  line += fmt::format(" type {}{}", link.kind_name, option_words(*link.kind, link.options, from));
  if (link.peer == nullptr) return line;
  line += fmt::format(" peer {{ name {}", word_of(link.peer->name));
  if (!peer_netns.empty()) line += fmt::format(" netns {}", word_of(peer_netns));
  return line + common_words(*link.peer, from) + " }";
}

std::vector<std::string> settings(const SavedLink& link, SavedNamespace& space, bool master_set) {
  std::vector<std::string> lines;
  std::string words;
  if (!master_set && link.master != nullptr) words += fmt::format(" master {}", word_of(link.master->name));
  words += flag_words(link) + mode_words(link);
  if (const std::string alias = link.attributes.text(IFLA_IFALIAS); !alias.empty())
    words += fmt::format(" alias {}", word_of(alias));
  if (link.attributes.number(IFLA_PROTO_DOWN) != 0) words += " protodown on";
  if (!words.empty()) lines.push_back(fmt::format("link set {}{}", name_word(link.name), words));
  std::string names;
  for (const std::string& name : alternative_names(link)) names += fmt::format(" altname {}", word_of(name));
  if (!names.empty()) lines.push_back(fmt::format("link property add dev {}{}", word_of(link.name), names));
  const std::string port = port_words(link, space);
  if (!port.empty())
    lines.push_back(fmt::format("link set {} type {}_slave{}", name_word(link.name), link.port_kind, port));
  return lines;
}

std::vector<std::string> last_settings(const SavedLink& link, const SavedNamespace& space) {
  std::vector<std::string> lines;
  const auto ports = ports_of(link, space);
  if (is_bridge(link) && !ports.empty()) {
    const auto* lowest = *std::min_element(
        ports.begin(), ports.end(), [](const SavedLink* a, const SavedLink* b) { return mtu_of(*a) < mtu_of(*b); });
    if (mtu_of(*lowest) != mtu_of(link))
      lines.push_back(fmt::format("link set {} mtu {}", name_word(link.name), mtu_of(link)));
  }
  if (link.kind_name == "bond") {
    const auto primary = static_cast<int>(link.options.number(IFLA_BOND_PRIMARY));
    for (const SavedLink* port : ports)
      if (port->header.ifi_index == primary)
        lines.push_back(fmt::format("link set {} type bond primary {}", name_word(link.name), word_of(port->name)));
  }
  if ((link.header.ifi_flags & IFF_UP) != 0) lines.push_back(fmt::format("link set {} up", name_word(link.name)));
  return lines;
}

}  // namespace netbatch
