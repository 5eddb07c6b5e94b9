// Addresses, routes and neighbours as statements. What the kernel makes itself when a link comes up is left out.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>

#include <cstring>
#include <optional>

#include "interpreter/save_text.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

constexpr uint32_t kForever = 0xffffffff;

bool equal(Bytes a, Bytes b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0; }

bool loopback(Bytes ip) {
  constexpr uint8_t kOne[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return ip.size() == 16 && std::memcmp(ip.data(), kOne, 16) == 0;
}

// IFA_PROTO says so since Linux 5.18.
bool made_by_kernel(const Attributes& attributes, const ifaddrmsg& header, Bytes local, const SavedLink& link) {
  if (attributes.number(IFA_PROTO) != 0) return true;
  const auto flags = static_cast<uint32_t>(attributes.number(IFA_FLAGS, header.ifa_flags));
  if (header.ifa_family == AF_INET6 && (flags & (IFA_F_TEMPORARY | IFA_F_STABLE_PRIVACY)) != 0) return true;
  if (header.ifa_family == AF_INET6) return (link.header.ifi_flags & IFF_LOOPBACK) != 0 && loopback(local);
  return (link.header.ifi_flags & IFF_LOOPBACK) != 0 && ip_text(local) == "127.0.0.1" && header.ifa_prefixlen == 8;
}

std::string address_flags(const Attributes& attributes, const ifaddrmsg& header) {
  constexpr std::pair<uint32_t, std::string_view> kBoth[] = {{IFA_F_NOPREFIXROUTE, "noprefixroute"},
                                                             {IFA_F_MCAUTOJOIN, "autojoin"}};
  constexpr std::pair<uint32_t, std::string_view> kIp6[] = {{IFA_F_NODAD, "nodad"},
                                                            {IFA_F_OPTIMISTIC, "optimistic"},
                                                            {IFA_F_HOMEADDRESS, "home"},
                                                            {IFA_F_MANAGETEMPADDR, "mngtmpaddr"}};
  const auto flags = static_cast<uint32_t>(attributes.number(IFA_FLAGS, header.ifa_flags));
  std::string words;
  for (const auto& [bit, name] : kBoth)
    if ((flags & bit) != 0) words += fmt::format(" {}", name);
  if (header.ifa_family != AF_INET6) return words;
  for (const auto& [bit, name] : kIp6)
    if ((flags & bit) != 0) words += fmt::format(" {}", name);
  return words;
}

std::string lifetime(const Attributes& attributes) {
  const Bytes bytes = attributes.bytes(IFA_CACHEINFO);
  ifa_cacheinfo info{kForever, kForever, 0, 0};
  if (bytes.size() >= sizeof info) std::memcpy(&info, bytes.data(), sizeof info);
  if (info.ifa_valid == kForever && info.ifa_prefered == kForever) return "";
  const auto text = [](uint32_t seconds) { return seconds == kForever ? "forever" : std::to_string(seconds); };
  return fmt::format(" valid_lft {} preferred_lft {}", text(info.ifa_valid), text(info.ifa_prefered));
}

std::string address_statement(const Attributes& attributes, const ifaddrmsg& header, const SavedLink& link) {
  const Bytes address = attributes.bytes(IFA_ADDRESS);
  const Bytes local = attributes.has(IFA_LOCAL) ? attributes.bytes(IFA_LOCAL) : address;
  if (local.empty() || made_by_kernel(attributes, header, local, link)) return "";
  const bool has_peer = !address.empty() && !equal(local, address);
  std::string line = fmt::format("addr add {}", ip_text(local));
  if (has_peer) line += fmt::format(" peer {}", ip_text(address));
  line += fmt::format("/{}", header.ifa_prefixlen);
  if (attributes.has(IFA_BROADCAST)) line += fmt::format(" broadcast {}", ip_text(attributes.bytes(IFA_BROADCAST)));
  if (attributes.has(IFA_ANYCAST)) line += fmt::format(" anycast {}", ip_text(attributes.bytes(IFA_ANYCAST)));
  const bool host = header.ifa_family == AF_INET && static_cast<uint8_t>(local[0]) == 127;
  const uint8_t usual = host ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
  if (header.ifa_family == AF_INET && header.ifa_scope != usual)
    line += fmt::format(" scope {}", scope_text(header.ifa_scope));
  if (const std::string label = attributes.text(IFA_LABEL); !label.empty() && label != link.name)
    line += fmt::format(" label {}", word_of(label));
  if (attributes.number(IFA_RT_PRIORITY) != 0) line += fmt::format(" metric {}", attributes.number(IFA_RT_PRIORITY));
  return line + address_flags(attributes, header) + lifetime(attributes) + fmt::format(" dev {}", word_of(link.name));
}

}  // namespace

std::vector<std::string> address_statements(SavedNamespace& space) {
  std::vector<std::string> statements;
  for (const SavedLink& link : space.links) {
    for (const Message& message : space.addresses) {
      const auto header = header_of<ifaddrmsg>(message);
      if (static_cast<int>(header.ifa_index) != link.header.ifi_index) continue;
      std::string line = address_statement(attributes_of<ifaddrmsg>(message), header, link);
      if (!line.empty()) statements.push_back(std::move(line));
    }
  }
  return statements;
}

std::vector<std::string> neighbour_statements(SavedNamespace& space) {
  std::vector<std::string> statements;
  for (const Message& message : space.neighbours) {
    const auto header = header_of<ndmsg>(message);
    const Attributes attributes = attributes_of<ndmsg>(message);
    const SavedLink* link = space.find(header.ndm_ifindex);
    const bool ip = header.ndm_family == AF_INET || header.ndm_family == AF_INET6;
    if (!ip || link == nullptr || (header.ndm_state & NUD_PERMANENT) == 0 || !attributes.has(NDA_LLADDR)) continue;
    statements.push_back(fmt::format("neigh add {} lladdr {}{} dev {}", ip_text(attributes.bytes(NDA_DST)),
                                     mac_text(attributes.bytes(NDA_LLADDR)),
                                     (header.ndm_flags & NTF_ROUTER) != 0 ? " router" : "", word_of(link->name)));
  }
  return statements;
}

}  // namespace netbatch
