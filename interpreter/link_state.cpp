#include "interpreter/link_state.hpp"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "interpreter/encode.hpp"
#include "interpreter/kinds.hpp"
#include "interpreter/present_link.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

using Bytes = std::span<const std::byte>;
using Attributes = std::map<uint16_t, Bytes>;

constexpr uint32_t kFlags =
    IFF_UP | IFF_NOARP | IFF_MULTICAST | IFF_ALLMULTI | IFF_PROMISC | IFF_NOTRAILERS | IFF_DYNAMIC;

// Attributes that RTM_NEWLINK sets and RTM_GETLINK shows. Source: net/core/rtnetlink.c do_setlink.
constexpr uint16_t kSettable[] = {IFLA_MTU,        IFLA_ADDRESS,      IFLA_BROADCAST,    IFLA_TXQLEN,
                                  IFLA_IFALIAS,    IFLA_GROUP,        IFLA_MASTER,       IFLA_LINKMODE,
                                  IFLA_PROTO_DOWN, IFLA_GSO_MAX_SIZE, IFLA_GSO_MAX_SEGS, IFLA_GRO_MAX_SIZE};
// What a creating request takes of them.
constexpr uint16_t kCreatable[] = {IFLA_MTU,   IFLA_ADDRESS,       IFLA_BROADCAST,     IFLA_TXQLEN,
                                   IFLA_GROUP, IFLA_NUM_TX_QUEUES, IFLA_NUM_RX_QUEUES, IFLA_IFNAME};

// The attributes that `settable_part` keeps.
constexpr auto kWanted = [] {
  std::array<bool, IFLA_MAX + 1> wanted{};
  for (const uint16_t type : kSettable) wanted[type] = true;
  for (const uint16_t type : kCreatable) wanted[type] = true;
  for (const uint16_t type : {IFLA_LINK, IFLA_LINK_NETNSID, IFLA_LINKINFO, IFLA_PROP_LIST}) wanted[type] = true;
  return wanted;
}();

Attributes read(Bytes bytes) {
  Attributes attributes;
  netlink::AttributeReader reader(bytes);
  for (netlink::Attribute attribute; reader.next(attribute);) attributes[attribute.type] = attribute.payload;
  return attributes;
}

// The address of a bridge that has lost its last port is zero, and cannot be set to that.
bool is_zero_address(uint16_t type, Bytes value) {
  return type == IFLA_ADDRESS &&
         std::all_of(value.begin(), value.end(), [](std::byte byte) { return byte == std::byte{}; });
}

Attributes read(const Message& link) { return read(attributes_after(link, sizeof(ifinfomsg))); }

Attributes nested(const Attributes& attributes, uint16_t type) {
  auto place = attributes.find(type);
  return place == attributes.end() ? Attributes{} : read(place->second);
}

ifinfomsg header_of(const Message& link) { return read_struct<ifinfomsg>(link); }

std::string text(const Attributes& attributes, uint16_t type) {
  auto place = attributes.find(type);
  return place == attributes.end() ? std::string() : std::string(text_of(place->second));
}

Bytes link_payload(const Message& link, uint16_t type) {
  return payload_of(attributes_after(link, sizeof(ifinfomsg)), type);
}

uint32_t number_of(const Message& link, uint16_t type) { return read_struct<uint32_t>(link_payload(link, type)); }

bool equal(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// The attributes of `was` that `now` does not have with the same value.
Attributes difference(const Attributes& was, const Attributes& now) {
  Attributes different;
  for (const auto& [type, value] : was) {
    auto place = now.find(type);
    if (place == now.end() || !equal(value, place->second)) different.emplace(type, value);
  }
  return different;
}

void put_all(netlink::MessageBuffer& buffer, const Attributes& attributes) {
  for (const auto& [type, value] : attributes) buffer.put(type, value.data(), value.size());
}

// Leaves what the kind's table has, which can be set; the rest is the kernel's own (timers, identifiers). All of a kind
// without a table.
void keep_settable(Attributes& options, const std::string& kind, bool port) {
  const Kind* table = find_kind(port ? kind + "_slave" : kind);
  if (table == nullptr) return;
  std::erase_if(options, [&](const auto& option) {
    return std::none_of(table->rows.begin(), table->rows.end(), [&](const Row& row) {
      if (port && row.attribute == IFLA_BRPORT_STATE) return false;  // follows the carrier
      return row.place == Place::InfoData && (row.attribute == option.first || row.attribute6 == option.first);
    });
  });
}

// Appends IFLA_LINKINFO with the options that differ, if any.
bool put_options(netlink::MessageBuffer& buffer, const Attributes& was, const Attributes& now, bool port) {
  const Attributes old_info = nested(was, IFLA_LINKINFO);
  const Attributes new_info = nested(now, IFLA_LINKINFO);
  const uint16_t kind_type = port ? IFLA_INFO_SLAVE_KIND : IFLA_INFO_KIND;
  const uint16_t data_type = port ? IFLA_INFO_SLAVE_DATA : IFLA_INFO_DATA;
  const std::string kind = text(old_info, kind_type);
  if (kind.empty() || kind != text(new_info, kind_type)) return false;
  Attributes options = difference(nested(old_info, data_type), nested(new_info, data_type));
  keep_settable(options, kind, port);
  if (options.empty()) return false;
  const size_t info = buffer.begin_nest(IFLA_LINKINFO);
  if (!port) buffer.put(IFLA_INFO_KIND, kind.data(), kind.size());
  const size_t data = buffer.begin_nest(data_type);
  put_all(buffer, options);
  buffer.end_nest(data);
  buffer.end_nest(info);
  return true;
}

bool put_settable(netlink::MessageBuffer& buffer, const Attributes& was, const Attributes& now) {
  bool differs = false;
  for (const uint16_t type : kSettable) {
    const auto old = was.find(type);
    const auto present = now.find(type);
    if (old == was.end() && present == now.end()) continue;
    if (old != was.end() && present != now.end() && equal(old->second, present->second)) continue;
    if (old != was.end() && is_zero_address(type, old->second)) continue;
    differs = true;
    if (old != was.end())
      buffer.put(type, old->second.data(), old->second.size());
    else if (type == IFLA_MASTER)
      buffer.put_u32(type, 0);
    else
      buffer.put(type, nullptr, 0);  // an alias that was not there
  }
  return differs;
}

bool put_addrgenmode(netlink::MessageBuffer& buffer, const Attributes& was, const Attributes& now) {
  const Attributes old = nested(nested(was, IFLA_AF_SPEC), AF_INET6);
  const Attributes present = nested(nested(now, IFLA_AF_SPEC), AF_INET6);
  const auto mode = old.find(IFLA_INET6_ADDR_GEN_MODE);
  const auto other = present.find(IFLA_INET6_ADDR_GEN_MODE);
  if (mode == old.end() || other == present.end() || equal(mode->second, other->second)) return false;
  const size_t spec = buffer.begin_nest(IFLA_AF_SPEC);
  const size_t inet6 = buffer.begin_nest(AF_INET6);
  buffer.put(IFLA_INET6_ADDR_GEN_MODE, mode->second.data(), mode->second.size());
  buffer.end_nest(inet6);
  buffer.end_nest(spec);
  return true;
}

void put_creatable(netlink::MessageBuffer& buffer, const Attributes& was) {
  for (const uint16_t type : kCreatable)
    if (auto place = was.find(type); place != was.end() && !is_zero_address(type, place->second))
      buffer.put(type, place->second.data(), place->second.size());
}

}  // namespace

void append_attribute(Message& message, uint16_t type, Bytes payload) {
  const nlattr attribute{static_cast<uint16_t>(sizeof(nlattr) + payload.size()), type};
  const auto* bytes = reinterpret_cast<const std::byte*>(&attribute);
  message.insert(message.end(), bytes, bytes + sizeof attribute);
  message.insert(message.end(), payload.begin(), payload.end());
  message.resize(NLMSG_ALIGN(message.size()));
}

// Once for each link that a run touches, so it writes into a buffer that stays. A part never needs more than the whole.
Message settable_part(const Message& link) {
  size_t end = NLMSG_ALIGN(sizeof(ifinfomsg));
  if (link.size() < end) return {};
  netlink::AttributeReader reader(Bytes(link).subspan(end));
  thread_local Message part;
  part.resize(NLMSG_ALIGN(link.size()));
  std::copy_n(link.begin(), end, part.begin());
  auto put_header = [&](uint16_t type, size_t payload) {
    const nlattr header{static_cast<uint16_t>(sizeof(nlattr) + payload), type};
    std::memcpy(part.data() + end, &header, sizeof header);
    end += sizeof header;
  };
  auto put = [&](uint16_t type, Bytes payload) {
    put_header(type, payload.size());
    std::copy(payload.begin(), payload.end(), part.begin() + static_cast<ptrdiff_t>(end));
    end = NLMSG_ALIGN(end + payload.size());
  };
  for (netlink::Attribute attribute; reader.next(attribute);) {
    if (attribute.type < kWanted.size() && kWanted[attribute.type]) put(attribute.type, attribute.payload);
    if (attribute.type != IFLA_AF_SPEC) continue;
    const Bytes mode = payload_of(payload_of(attribute.payload, AF_INET6), IFLA_INET6_ADDR_GEN_MODE);
    if (mode.empty()) continue;
    const size_t inner = sizeof(nlattr) + NLMSG_ALIGN(mode.size());
    put_header(IFLA_AF_SPEC, sizeof(nlattr) + inner);
    put_header(AF_INET6, inner);
    put(IFLA_INET6_ADDR_GEN_MODE, mode);
  }
  return Message(part.begin(), part.begin() + static_cast<ptrdiff_t>(end));
}

bool is_up(const Message& link) { return (header_of(link).ifi_flags & IFF_UP) != 0; }
int link_index_of(const Message& link) { return header_of(link).ifi_index; }
uint32_t mtu_of(const Message& link) { return number_of(link, IFLA_MTU); }
std::string_view link_name_of(const Message& link) { return text_of(link_payload(link, IFLA_IFNAME)); }
std::string_view link_kind_of(const Message& link) {
  return text_of(payload_of(link_payload(link, IFLA_LINKINFO), IFLA_INFO_KIND));
}

bool put_link_difference(netlink::MessageBuffer& buffer, uint32_t sequence, const Message& was, const Message& now,
                         bool port_options) {
  const Attributes old = read(was);
  const Attributes present = read(now);
  const ifinfomsg old_header = header_of(was);
  const ifinfomsg new_header = header_of(now);
  auto* header = static_cast<ifinfomsg*>(buffer.begin(RTM_NEWLINK, 0, sequence, sizeof(ifinfomsg)));
  if (header == nullptr) return false;
  header->ifi_index = new_header.ifi_index;
  bool differs = false;
  if (!port_options) {
    header->ifi_change = (old_header.ifi_flags ^ new_header.ifi_flags) & kFlags;
    header->ifi_flags = old_header.ifi_flags & header->ifi_change;
    differs = header->ifi_change != 0;
    differs |= put_settable(buffer, old, present);
    differs |= put_addrgenmode(buffer, old, present);
  }
  differs |= put_options(buffer, old, present, port_options);
  if (differs) return buffer.end();
  buffer.cancel();
  return false;
}

bool put_link_again(netlink::MessageBuffer& buffer, uint32_t sequence, const Message& was, const Peer& peer,
                    bool same_index) {
  const Attributes attributes = read(was);
  const Attributes info = nested(attributes, IFLA_LINKINFO);
  const std::string kind = text(info, IFLA_INFO_KIND);
  if (kind.empty() || (kind == "veth" && peer.was == nullptr)) return false;
  auto* header =
      static_cast<ifinfomsg*>(buffer.begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sequence, sizeof(ifinfomsg)));
  if (header == nullptr) return false;
  if (same_index) header->ifi_index = link_index_of(was);
  put_creatable(buffer, attributes);
  for (const uint16_t type : {IFLA_LINK, IFLA_LINK_NETNSID})
    if (auto lower = attributes.find(type); lower != attributes.end() && kind != "veth")
      buffer.put(type, lower->second.data(), lower->second.size());
  const size_t linkinfo = buffer.begin_nest(IFLA_LINKINFO);
  buffer.put(IFLA_INFO_KIND, kind.data(), kind.size());
  const size_t data = buffer.begin_nest(IFLA_INFO_DATA);
  if (kind == "veth") {
    const size_t nest = buffer.begin_nest(VETH_INFO_PEER);
    auto* peer_header = static_cast<ifinfomsg*>(buffer.raw(sizeof(ifinfomsg)));
    if (peer_header != nullptr && same_index) peer_header->ifi_index = link_index_of(*peer.was);
    Attributes other = read(*peer.was);
    other[IFLA_IFNAME] = std::as_bytes(std::span(peer.name.c_str(), peer.name.size() + 1));
    put_creatable(buffer, other);
    if (peer.netns >= 0) put_netns(buffer, peer.netns, peer.pid);
    buffer.end_nest(nest);
  } else {
    // A bridge or a bond takes all of them later, and not all of those that it shows at once.
    if (kind != "bridge" && kind != "bond") {
      Attributes options = nested(info, IFLA_INFO_DATA);
      keep_settable(options, kind, false);
      put_all(buffer, options);
    }
  }
  buffer.end_nest(data);
  buffer.end_nest(linkinfo);
  return buffer.end();
}

std::vector<std::string> names_missing(const Message& in, const Message& of) {
  const auto present = PresentLink(in).alternative_names();
  std::vector<std::string> missing;
  for (const std::string_view name : PresentLink(of).alternative_names())
    if (std::find(present.begin(), present.end(), name) == present.end()) missing.emplace_back(name);
  return missing;
}

int lower_in_namespace(const Message& link) {
  return link_payload(link, IFLA_LINK_NETNSID).empty() ? static_cast<int>(number_of(link, IFLA_LINK)) : 0;
}

std::optional<Elsewhere> lower_elsewhere(const Message& link) {
  const Bytes netns = link_payload(link, IFLA_LINK_NETNSID);
  if (netns.empty()) return std::nullopt;
  return Elsewhere{static_cast<int>(number_of(link, IFLA_LINK)), read_struct<int>(netns)};
}

int master_of(const Message& link) { return static_cast<int>(number_of(link, IFLA_MASTER)); }
uint32_t group_of(const Message& link) { return number_of(link, IFLA_GROUP); }

}  // namespace netbatch
