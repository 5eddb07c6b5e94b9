// Routes. What tells them apart: net/ipv4/fib_trie.c (destination, tos, priority), net/ipv6/ip6_fib.c (destination,
// source, metric).
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cstring>

#include "interpreter/present_family.hpp"
#include "interpreter/present_link.hpp"
#include "interpreter/route_hops.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kMetricOfIp6 = 1024;  // IP6_RT_PRIO_USER

struct RouteId {
  uint8_t family = 0;
  uint32_t table = 0;
  uint32_t metric = 0;
  uint8_t tos = 0;
  uint8_t length = 0;
  uint8_t source_length = 0;
  std::string destination;
  std::string source;
  friend bool operator==(const RouteId&, const RouteId&) = default;
};

// Without the bits behind the prefix, which IPv6 ignores.
std::string prefix(std::string_view address, uint8_t length) {
  std::string result(address.substr(0, std::min<size_t>(address.size(), (length + 7u) / 8u)));
  if (length % 8 != 0 && !result.empty())
    result.back() = static_cast<char>(static_cast<unsigned char>(result.back()) & (0xff00u >> (length % 8)));
  return result;
}

uint32_t metric_of(uint32_t given, uint8_t family) { return given == 0 && family == AF_INET6 ? kMetricOfIp6 : given; }

RouteId id_of(const Operation& op, std::span<const Attr> attrs) {
  const FamilyHeader& header = op.header;
  const Attr* table = find_attr(attrs, RTA_TABLE);
  const Attr* metric = find_attr(attrs, RTA_PRIORITY);
  const Attr* to = find_attr(attrs, RTA_DST);
  const Attr* from = find_attr(attrs, RTA_SRC);
  RouteId id;
  id.family = header.family;
  id.table = table != nullptr ? static_cast<uint32_t>(table->value.number) : header.table;
  id.metric = metric_of(metric != nullptr ? static_cast<uint32_t>(metric->value.number) : 0, header.family);
  id.tos = header.family == AF_INET ? header.tos : uint8_t{0};
  id.length = header.prefix_length;
  id.source_length = header.source_length;
  if (to != nullptr) id.destination = prefix(to->value.text(), header.prefix_length);
  if (from != nullptr) id.source = prefix(from->value.text(), header.source_length);
  return id;
}

std::string text_of(Bytes attributes, uint16_t type) {
  Bytes payload;
  if (!find_payload(attributes, type, payload)) return {};
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

uint32_t number_of(Bytes attributes, uint16_t type, uint32_t otherwise) {
  Bytes payload;
  return find_payload(attributes, type, payload) ? read_struct<uint32_t>(payload) : otherwise;
}

RouteId id_of(const rtmsg& header, Bytes attributes) {
  RouteId id;
  id.family = header.rtm_family;
  id.table = number_of(attributes, RTA_TABLE, header.rtm_table);
  id.metric = number_of(attributes, RTA_PRIORITY, 0);
  id.tos = header.rtm_family == AF_INET ? header.rtm_tos : uint8_t{0};
  id.length = header.rtm_dst_len;
  id.source_length = header.rtm_src_len;
  id.destination = prefix(text_of(attributes, RTA_DST), header.rtm_dst_len);
  id.source = prefix(text_of(attributes, RTA_SRC), header.rtm_src_len);
  return id;
}

bool same_hop(const Hop& hop, const rtnexthop& header, Bytes attributes, const IndexOf& index_of) {
  if (hop.weight != header.rtnh_hops + 1) return false;
  if (hop.onlink && (header.rtnh_flags & RTNH_F_ONLINK) == 0) return false;
  if (!hop.device.empty() && index_of(hop.device) != header.rtnh_ifindex) return false;
  netlink::AttributeReader reader(hop.attributes);
  for (netlink::Attribute wanted; reader.next(wanted);) {
    Bytes payload;
    if (!find_payload(attributes, wanted.type, payload) || !std::ranges::equal(payload, wanted.payload)) return false;
  }
  return true;
}

// In any order: IPv6 has one of its own.
bool same_hops(const Attr& attr, Bytes present, const IndexOf& index_of) {
  std::vector<Hop> wanted;
  each_hop(attr.value.text(), [&](const Hop& hop) { wanted.push_back(hop); });
  while (present.size() >= sizeof(rtnexthop)) {
    const auto header = read_struct<rtnexthop>(present);
    if (header.rtnh_len < sizeof header || header.rtnh_len > present.size()) return false;
    const Bytes attributes = present.subspan(sizeof header, header.rtnh_len - sizeof header);
    const auto place =
        std::ranges::find_if(wanted, [&](const Hop& hop) { return same_hop(hop, header, attributes, index_of); });
    if (place == wanted.end()) return false;
    wanted.erase(place);
    present = present.subspan(std::min<size_t>(NLMSG_ALIGN(header.rtnh_len), present.size()));
  }
  return wanted.empty();
}

bool same_value(const Attr& attr, Bytes attributes, const IndexOf& index_of) {
  Bytes payload;
  if (attr.row->place == Place::Metrics) {
    Bytes metrics;
    if (!find_payload(attributes, RTA_METRICS, metrics)) return false;
    if (!find_payload(metrics, attr.row->attribute, payload)) return false;
    if (!attr.value.is_data) return is_value(attr, payload);
    const std::string_view name(reinterpret_cast<const char*>(payload.data()), payload.size());
    return name.substr(0, name.find('\0')) == attr.value.text();
  }
  if (attr.row->attribute == RTA_EXPIRES) return false;  // it has run since
  if (!find_payload(attributes, attr.row->attribute, payload)) return false;
  if (attr.row->place == Place::Hops) return same_hops(attr, payload, index_of);
  if (attr.row->type != ValueType::Link) return is_value(attr, payload);
  const int index = index_of(attr.value.text());
  return index != 0 && read_struct<int>(payload) == index;
}

// The kernel's route goes through a gateway, or several, of which the script says nothing.
bool goes_elsewhere(std::span<const Attr> attrs, Bytes attributes) {
  if (find_attr(attrs, RTA_NH_ID) != nullptr) return false;
  const bool hops = std::ranges::any_of(attrs, [](const Attr& attr) { return attr.row->place == Place::Hops; });
  Bytes payload;
  for (const uint16_t type : {RTA_GATEWAY, RTA_VIA})
    if (find_payload(attributes, type, payload) && find_attr(attrs, type) == nullptr && !hops) return true;
  return find_payload(attributes, RTA_MULTIPATH, payload) && !hops;
}

}  // namespace

Likeness compare_route(const Operation& op, std::span<const Attr> attrs, const Message& message,
                       const IndexOf& index_of) {
  const auto header = read_struct<rtmsg>(message);
  const Bytes attributes = attributes_after(message, sizeof header);
  if ((header.rtm_flags & RTM_F_CLONED) != 0) return Likeness::Other;
  RouteId wanted = id_of(op, attrs);
  const RouteId present = id_of(header, attributes);
  const bool deletes = op.verb == Verb::Absent;
  if (deletes && find_attr(attrs, RTA_PRIORITY) == nullptr) wanted.metric = present.metric;
  if (wanted != present) return Likeness::Other;
  bool same = deletes || !goes_elsewhere(attrs, attributes);
  same = same && (op.header.type == header.rtm_type || (deletes && op.header.type == RTN_UNSPEC));
  if (op.header.family == AF_INET)
    same = same && (op.header.scope == header.rtm_scope || (deletes && op.header.scope == RT_SCOPE_NOWHERE));
  // `boot` is what a script gets that says nothing.
  const bool protocol_given = op.header.protocol != RTPROT_BOOT && op.header.protocol != RTPROT_UNSPEC;
  same = same && (!protocol_given || op.header.protocol == header.rtm_protocol);
  same = same && (op.header.flags & RTNH_F_ONLINK & ~header.rtm_flags) == 0;
  for (const Attr& attr : attrs) {
    const bool in_id =
        attr.row->place == Place::Top && (attr.row->attribute == RTA_DST || attr.row->attribute == RTA_SRC ||
                                          attr.row->attribute == RTA_TABLE || attr.row->attribute == RTA_PRIORITY);
    same = same && (in_id || same_value(attr, attributes, index_of));
  }
  return same ? Likeness::Same : Likeness::Settable;
}

int route_device(const Message& route) {
  return static_cast<int>(number_of(attributes_after(route, sizeof(rtmsg)), RTA_OIF, 0));
}

std::string route_key(const Operation& op, std::span<const Attr> attrs) {
  const RouteId id = id_of(op, attrs);
  std::string key;
  for (const uint32_t number : {uint32_t{id.family}, id.table, uint32_t{id.tos}, uint32_t{id.length}})
    key += std::to_string(number) + ' ';
  // A deletion without a metric finds any.
  return key + id.destination + ' ' + id.source;
}

}  // namespace netbatch
