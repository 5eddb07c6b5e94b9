#include "interpreter/family_state.hpp"

#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cstring>

#include "interpreter/link_state.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

using Bytes = std::span<const std::byte>;
using netlink::attributes_after;
using netlink::read_struct;

// How one family of objects is compared: what of a dump's reply is its identity and value, and what the kernel makes by
// itself.
struct Family {
  uint16_t new_type;
  uint16_t del_type;
  uint16_t create_flags;
  std::vector<Message> FamilyState::*list;
  // The message as it can be sent and compared; empty for what is the kernel's own.
  Message (*normal)(const Message&);
  int (*index)(const Message&);
};

template <class Header>
Message with_header(const Header& header) {
  Message message(NLMSG_ALIGN(sizeof header));
  std::memcpy(message.data(), &header, sizeof header);
  return message;
}

// Without timestamps and without flags that come and go by themselves.
Message normal_address(const Message& message) {
  constexpr uint32_t kPassing =
      IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_SECONDARY | IFA_F_PERMANENT | IFA_F_OPTIMISTIC;
  auto header = read_struct<ifaddrmsg>(message);
  header.ifa_flags = static_cast<uint8_t>(header.ifa_flags & ~kPassing);
  Message result = with_header(header);
  netlink::AttributeReader reader(attributes_after(message, sizeof header));
  for (netlink::Attribute attribute; reader.next(attribute);) {
    uint32_t number = 0;
    if (attribute.type == IFA_CACHEINFO && attribute.payload.size() >= sizeof(ifa_cacheinfo)) {
      ifa_cacheinfo info{};
      std::memcpy(&info, attribute.payload.data(), sizeof info);
      info.cstamp = info.tstamp = 0;
      append_attribute(result, IFA_CACHEINFO, std::as_bytes(std::span(&info, 1)));
    } else if (attribute.type == IFA_FLAGS && attribute.u32(number)) {
      number &= ~kPassing;
      append_attribute(result, IFA_FLAGS, std::as_bytes(std::span(&number, 1)));
    } else {
      append_attribute(result, attribute.type, attribute.payload);
    }
  }
  return result;
}

bool is_kernels(const Message& route) { return read_struct<rtmsg>(route).rtm_protocol == RTPROT_KERNEL; }

Message normal_route(const Message& message) {
  auto header = read_struct<rtmsg>(message);
  if ((header.rtm_flags & RTM_F_CLONED) != 0) return {};
  header.rtm_flags &= RTNH_F_ONLINK | RTNH_F_PERVASIVE;
  Message result = with_header(header);
  netlink::AttributeReader reader(attributes_after(message, sizeof header));
  for (netlink::Attribute attribute; reader.next(attribute);)
    if (attribute.type != RTA_CACHEINFO) append_attribute(result, attribute.type, attribute.payload);
  return result;
}

// Those that a program has put there. Most others come and go with the traffic.
bool is_put(const Message& neighbour) {
  const auto header = read_struct<ndmsg>(neighbour);
  return (header.ndm_state & NUD_PERMANENT) != 0 || (header.ndm_flags & NTF_PROXY) != 0;
}

bool is_managed(Bytes attributes) {
  Bytes flags;
  return netlink::find_payload(attributes, NDA_FLAGS_EXT, flags) &&
         (read_struct<uint32_t>(flags) & NTF_EXT_MANAGED) != 0;
}

// What is known of an address that is not permanent grows old by itself: any such state is as good as NUD_STALE.
Message normal_neighbour(const Message& message) {
  auto header = read_struct<ndmsg>(message);
  const Bytes attributes = attributes_after(message, sizeof header);
  Bytes address;
  const bool resolved = netlink::find_payload(attributes, NDA_LLADDR, address);
  if (!is_put(message) && !resolved && !is_managed(attributes)) return {};
  if ((header.ndm_state & (NUD_PERMANENT | NUD_NOARP)) == 0) header.ndm_state = resolved ? NUD_STALE : NUD_NONE;
  Message result = with_header(header);
  netlink::AttributeReader reader(attributes);
  for (netlink::Attribute attribute; reader.next(attribute);)
    if (attribute.type == NDA_DST || attribute.type == NDA_LLADDR || attribute.type == NDA_PROTOCOL ||
        attribute.type == NDA_FLAGS_EXT)
      append_attribute(result, attribute.type, attribute.payload);
  return result;
}

// A route of an address of the kernel's making. Others of its making are those of a link that is up, of link-local
// addresses and of table local.
bool belongs_to_address(const Message& route) {
  const auto header = read_struct<rtmsg>(route);
  Bytes to;
  if (header.rtm_table != RT_TABLE_MAIN || header.rtm_type != RTN_UNICAST ||
      !netlink::find_payload(attributes_after(route, sizeof header), RTA_DST, to))
    return false;
  return header.rtm_family == AF_INET || (to[0] != std::byte{0xfe} && to[0] != std::byte{0xff});
}

int address_index(const Message& message) { return static_cast<int>(read_struct<ifaddrmsg>(message).ifa_index); }
int neighbour_index(const Message& message) { return read_struct<ndmsg>(message).ndm_ifindex; }
int route_index(const Message& message) {
  netlink::AttributeReader reader(attributes_after(message, sizeof(rtmsg)));
  uint32_t index = 0;
  for (netlink::Attribute attribute; reader.next(attribute);)
    if (attribute.type == RTA_OIF) attribute.u32(index);
  return static_cast<int>(index);
}

constexpr Family kFamilies[] = {
    {RTM_NEWADDR, RTM_DELADDR, NLM_F_CREATE | NLM_F_REPLACE, &FamilyState::addresses, normal_address, address_index},
    {RTM_NEWROUTE, RTM_DELROUTE, NLM_F_CREATE | NLM_F_APPEND, &FamilyState::routes, normal_route, route_index},
    {RTM_NEWNEIGH, RTM_DELNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &FamilyState::neighbours, normal_neighbour,
     neighbour_index},
};

// Gives a message the link's present index.
void set_index(Message& message, const Family& family, int index) {
  if (family.new_type == RTM_NEWROUTE) {
    size_t at = NLMSG_ALIGN(sizeof(rtmsg));
    for (nlattr attribute{}; at + sizeof attribute <= message.size(); at += NLMSG_ALIGN(attribute.nla_len)) {
      std::memcpy(&attribute, message.data() + at, sizeof attribute);
      if (attribute.nla_type == RTA_OIF) std::memcpy(message.data() + at + sizeof attribute, &index, sizeof index);
    }
    return;
  }
  const size_t offset = family.new_type == RTM_NEWADDR ? offsetof(ifaddrmsg, ifa_index) : offsetof(ndmsg, ndm_ifindex);
  std::memcpy(message.data() + offset, &index, sizeof index);
}

}  // namespace

int read_family(Transport& transport, NsId ns, FamilyState& state) {
  int error = transport.dump(ns, RTM_GETADDR, state.addresses);
  if (error == 0) error = transport.dump(ns, RTM_GETROUTE, state.routes);
  if (error == 0) error = transport.dump(ns, RTM_GETNEIGH, state.neighbours);
  if (error == 0) error = transport.dump_proxies(ns, state.neighbours);
  return error;
}

int address_link(const Message& address) { return address_index(address); }

bool is_link_local(const Message& address) {
  if (read_struct<ifaddrmsg>(address).ifa_family != AF_INET6) return false;
  netlink::AttributeReader reader(attributes_after(address, sizeof(ifaddrmsg)));
  for (netlink::Attribute attribute; reader.next(attribute);)
    if (attribute.type == IFA_ADDRESS && attribute.payload.size() == 16)
      return attribute.payload[0] == std::byte{0xfe} && (attribute.payload[1] & std::byte{0xc0}) == std::byte{0x80};
  return false;
}

namespace {

// The links that have a link-local address.
std::set<int> links_with_link_local(const std::vector<Message>& addresses, const std::map<int, int>& index) {
  std::set<int> links;
  for (const Message& message : addresses) {
    if (!is_link_local(message)) continue;
    const auto present = index.find(address_index(message));
    links.insert(present == index.end() ? address_index(message) : present->second);
  }
  return links;
}

// Addresses come in the order in which they were added, and the first is the primary one. So what was added after one
// that is missing is taken away too, to be added again behind it. IPv6 shows the newest first.
void keep_in_order(const std::vector<Message>& old, std::vector<bool>& kept, std::vector<Correction>& result) {
  std::set<std::pair<int, int>> missing;  // links and families
  auto look = [&](size_t i) {
    const std::pair<int, int> chain{address_link(old[i]), read_struct<ifaddrmsg>(old[i]).ifa_family};
    if (!kept[i]) missing.insert(chain);
    if (!kept[i] || !missing.contains(chain) || is_link_local(old[i])) return;
    kept[i] = false;
    result.push_back({RTM_DELADDR, 0, old[i]});
  };
  for (size_t i = 0; i < old.size(); ++i)
    if (read_struct<ifaddrmsg>(old[i]).ifa_family == AF_INET) look(i);
  for (size_t i = old.size(); i-- > 0;)
    if (read_struct<ifaddrmsg>(old[i]).ifa_family != AF_INET && !is_link_local(old[i])) look(i);
}

bool is_ipv4_address(const Correction& correction) {
  return read_struct<ifaddrmsg>(correction.message).ifa_family == AF_INET;
}

}  // namespace

std::vector<Correction> corrections(const FamilyState& was, const FamilyState& now, const std::set<int>& touched,
                                    const std::map<int, int>& index, bool addresses_are_back) {
  // The kernel makes its own routes (those of addresses and links) by itself again, but for one that a statement took.
  // Neighbours are the kernel's where no statement is about one.
  auto stays = [&](const Family& family, const Message& message) {
    if (family.new_type == RTM_NEWNEIGH) return !was.neighbours_touched() && !is_put(message);
    return family.new_type == RTM_NEWROUTE && is_kernels(message) &&
           !(addresses_are_back && was.routes_touched() && belongs_to_address(message));
  };
  std::vector<Correction> result;
  const std::set<int> with_link_local = links_with_link_local(was.addresses, index);
  for (const Family& family : kFamilies) {
    const bool addresses = family.new_type == RTM_NEWADDR;
    const bool routes = family.new_type == RTM_NEWROUTE;
    std::vector<Message> old;
    for (const Message& message : was.*family.list) {
      Message normal = family.normal(message);
      const int link = family.index(message);
      if (normal.empty() || stays(family, message)) continue;
      const auto present = index.find(link);
      if (present != index.end() && present->second != link) set_index(normal, family, present->second);
      const bool ours = touched.contains(present == index.end() ? link : present->second);
      if (ours || (routes && was.routes_touched())) old.push_back(std::move(normal));
    }
    std::multimap<Message, size_t> places;
    for (size_t i = 0; i < old.size(); ++i) places.emplace(old[i], i);
    std::vector<bool> kept(old.size(), false);
    for (const Message& message : now.*family.list) {
      Message normal = family.normal(message);
      if (normal.empty()) continue;
      const int link = family.index(message);
      if (!touched.contains(link) && !(routes && was.routes_touched())) continue;
      // The kernel gives one to each link that goes up. Where `was` has none, it may only not have been read in time.
      if (addresses && is_link_local(message) && !with_link_local.contains(link)) continue;
      const auto place = places.find(normal);
      if (place != places.end()) {
        kept[place->second] = true;
        places.erase(place);
      } else if (!stays(family, message)) {
        result.push_back({family.del_type, 0, std::move(normal)});
      }
    }
    if (addresses) keep_in_order(old, kept, result);
    // The kernel shows the newest IPv6 address first.
    const size_t added = result.size();
    for (size_t i = 0; i < old.size(); ++i)
      if (!kept[i]) result.push_back({family.new_type, family.create_flags, std::move(old[i])});
    if (addresses) {
      const auto begin = result.begin() + static_cast<ptrdiff_t>(added);
      std::reverse(std::stable_partition(begin, result.end(), is_ipv4_address), result.end());
    }
  }
  return result;
}

}  // namespace netbatch
