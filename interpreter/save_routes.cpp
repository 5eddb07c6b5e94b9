#include <fmt/format.h>
#include <linux/icmpv6.h>

#include <algorithm>
#include <cstring>

#include "interpreter/save_text.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

constexpr uint32_t kIp6Metric = 1024;  // IP6_RT_PRIO_USER: what a route without `metric` gets

std::string_view type_text(uint8_t type) {
  constexpr std::string_view kNames[] = {"unspec",    "unicast",     "local",    "broadcast", "anycast", "multicast",
                                         "blackhole", "unreachable", "prohibit", "throw",     "nat",     "xresolve"};
  return type < std::size(kNames) ? kNames[type] : "";
}

std::string gateway(const Attributes& attributes, uint8_t family) {
  if (attributes.has(RTA_GATEWAY)) return fmt::format(" via {}", ip_text(attributes.bytes(RTA_GATEWAY)));
  const Bytes via = attributes.bytes(RTA_VIA);
  if (via.size() <= 2) return "";
  uint16_t other = 0;
  std::memcpy(&other, via.data(), sizeof other);
  const std::string_view word = other == family ? "" : other == AF_INET6 ? " inet6" : " inet";
  return fmt::format(" via{} {}", word, ip_text(via.subspan(2)));
}

std::string device(SavedNamespace& space, int index) {
  const SavedLink* link = index == 0 ? nullptr : space.find(index);
  return link == nullptr ? "" : fmt::format(" dev {}", word_of(link->name));
}

std::string next_hops(const Attributes& attributes, uint8_t family, SavedNamespace& space) {
  std::string words;
  Bytes rest = attributes.bytes(RTA_MULTIPATH);
  while (rest.size() >= sizeof(rtnexthop)) {
    rtnexthop hop{};
    std::memcpy(&hop, rest.data(), sizeof hop);
    if (hop.rtnh_len < sizeof hop || hop.rtnh_len > rest.size()) break;
    const Attributes inner(rest.subspan(sizeof hop, hop.rtnh_len - sizeof hop));
    words += fmt::format(" nexthop{}{} weight {}{}", gateway(inner, family), device(space, hop.rtnh_ifindex),
                         hop.rtnh_hops + 1, (hop.rtnh_flags & RTNH_F_ONLINK) != 0 ? " onlink" : "");
    rest = rest.subspan(std::min<size_t>(RTNH_ALIGN(hop.rtnh_len), rest.size()));
  }
  return words;
}

std::string metrics(const Attributes& attributes) {
  constexpr std::pair<uint16_t, std::string_view> kNames[] = {
      {RTAX_MTU, "mtu"},           {RTAX_WINDOW, "window"},     {RTAX_SSTHRESH, "ssthresh"},
      {RTAX_CWND, "cwnd"},         {RTAX_ADVMSS, "advmss"},     {RTAX_REORDERING, "reordering"},
      {RTAX_HOPLIMIT, "hoplimit"}, {RTAX_INITCWND, "initcwnd"}, {RTAX_INITRWND, "initrwnd"},
      {RTAX_QUICKACK, "quickack"}};
  const Attributes values = attributes.nested(RTA_METRICS);
  const uint64_t locked = values.number(RTAX_LOCK);
  std::string words;
  for (const auto& [type, name] : kNames)
    if (values.has(type))
      words += fmt::format(" {}{} {}", name, (locked >> type & 1u) != 0 ? " lock" : "", values.number(type));
  if (values.has(RTAX_CC_ALGO)) words += fmt::format(" congctl {}", word_of(values.text(RTAX_CC_ALGO)));
  return words;
}

// What IPv4 takes where there is no `scope`.
uint8_t usual_scope(const rtmsg& header, bool has_gateway) {
  if (header.rtm_type == RTN_LOCAL || header.rtm_type == RTN_NAT) return RT_SCOPE_HOST;
  const bool link = header.rtm_type == RTN_BROADCAST || header.rtm_type == RTN_MULTICAST ||
                    header.rtm_type == RTN_ANYCAST || (header.rtm_type == RTN_UNICAST && !has_gateway);
  return link ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
}

std::string scope(const rtmsg& header, const Attributes& attributes) {
  const bool has_gateway = attributes.has(RTA_GATEWAY) || attributes.has(RTA_VIA) || attributes.has(RTA_MULTIPATH);
  if (header.rtm_family != AF_INET || header.rtm_scope == usual_scope(header, has_gateway)) return "";
  return fmt::format(" scope {}", scope_text(header.rtm_scope));
}

std::string preference(const Attributes& attributes) {
  const uint64_t value = attributes.number(RTA_PREF, ICMPV6_ROUTER_PREF_MEDIUM);
  return value == ICMPV6_ROUTER_PREF_LOW ? " pref low" : value == ICMPV6_ROUTER_PREF_HIGH ? " pref high" : "";
}

std::string destination(const rtmsg& header, const Attributes& attributes) {
  if (!attributes.has(RTA_DST) || header.rtm_dst_len == 0) return "default";
  return fmt::format("{}/{}", ip_text(attributes.bytes(RTA_DST)), header.rtm_dst_len);
}

bool made_by_kernel(const rtmsg& header) {
  return (header.rtm_flags & RTM_F_CLONED) != 0 || header.rtm_protocol == RTPROT_KERNEL ||
         header.rtm_protocol == RTPROT_RA || header.rtm_protocol == RTPROT_REDIRECT;
}

std::string route_statement(const rtmsg& header, const Attributes& attributes, SavedNamespace& space) {
  if (attributes.has(RTA_NH_ID) || attributes.has(RTA_ENCAP))
    return fmt::format("# route {}: a next hop of its own cannot be made by a script", destination(header, attributes));
  const bool ip6 = header.rtm_family == AF_INET6;
  std::string line = ip6 ? "-6 route add" : "route add";
  if (header.rtm_type != RTN_UNICAST) line += fmt::format(" {}", type_text(header.rtm_type));
  line += fmt::format(" {}", destination(header, attributes));
  if (header.rtm_src_len != 0)
    line += fmt::format(" from {}/{}", ip_text(attributes.bytes(RTA_SRC)), header.rtm_src_len);
  if (header.rtm_tos != 0) line += fmt::format(" tos {:#x}", header.rtm_tos);
  const bool nowhere = header.rtm_type >= RTN_BLACKHOLE && header.rtm_type <= RTN_THROW;
  const auto index = static_cast<int>(attributes.number(RTA_OIF));
  line += gateway(attributes, header.rtm_family);
  if (!nowhere) line += device(space, index);
  if ((header.rtm_flags & RTNH_F_ONLINK) != 0) line += " onlink";
  if (const uint64_t table = attributes.number(RTA_TABLE, header.rtm_table); table != RT_TABLE_MAIN)
    line += fmt::format(" table {}", table);
  if (header.rtm_protocol == RTPROT_STATIC) line += " proto static";
  if (header.rtm_protocol != RTPROT_STATIC && header.rtm_protocol != RTPROT_BOOT)
    line += fmt::format(" proto {}", header.rtm_protocol);
  line += scope(header, attributes);
  if (attributes.has(RTA_PREFSRC)) line += fmt::format(" src {}", ip_text(attributes.bytes(RTA_PREFSRC)));
  const uint64_t metric = attributes.number(RTA_PRIORITY);
  if (metric != (ip6 ? kIp6Metric : 0)) line += fmt::format(" metric {}", metric);
  return line + metrics(attributes) + preference(attributes) + next_hops(attributes, header.rtm_family, space);
}

}  // namespace

std::vector<std::string> route_statements(SavedNamespace& space) {
  std::vector<std::string> statements;
  for (const Message& message : space.routes) {
    const auto header = header_of<rtmsg>(message);
    if (made_by_kernel(header) || (header.rtm_family != AF_INET && header.rtm_family != AF_INET6)) continue;
    statements.push_back(route_statement(header, attributes_of<rtmsg>(message), space));
  }
  // The kernel takes a gateway only where there is a route to it, so those without one go first.
  std::stable_partition(statements.begin(), statements.end(),
                        [](const std::string& line) { return line.find(" via ") == std::string::npos; });
  return statements;
}

}  // namespace netbatch
