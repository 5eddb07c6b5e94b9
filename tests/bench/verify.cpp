#include "verify.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "floor.hpp"
#include "netlink/netns.hpp"
#include "requests.hpp"

namespace netbatch::bench {

namespace {

struct Link {
  int index = 0;
  bool up = false;
  uint32_t mtu = 0;
  uint32_t master = 0;
  std::string alias;
};

using Links = std::map<std::string, Link>;

template <class Header>
Header header_of(const netlink::Reply& reply) {
  Header header{};
  if (reply.payload.size() >= sizeof header) std::memcpy(&header, reply.payload.data(), sizeof header);
  return header;
}

template <class Header, class Visit>
void attributes_of(const netlink::Reply& reply, Visit visit) {
  netlink::AttributeReader reader(reply.payload.subspan(NLMSG_ALIGN(sizeof(Header))));
  netlink::Attribute attribute;
  while (reader.next(attribute)) visit(attribute);
}

Links links_of(netlink::Socket& socket) {
  Links links;
  dump(socket, RTM_GETLINK, sizeof(ifinfomsg), [&](const netlink::Reply& reply) {
    const auto header = header_of<ifinfomsg>(reply);
    Link link;
    link.index = header.ifi_index;
    link.up = (header.ifi_flags & IFF_UP) != 0;
    std::string name;
    attributes_of<ifinfomsg>(reply, [&](const netlink::Attribute& attribute) {
      if (attribute.type == IFLA_IFNAME) name = attribute.text();
      if (attribute.type == IFLA_IFALIAS) link.alias = attribute.text();
      if (attribute.type == IFLA_MTU) attribute.u32(link.mtu);
      if (attribute.type == IFLA_MASTER) attribute.u32(link.master);
    });
    links[name] = link;
  });
  return links;
}

// The addresses on a link and the gateways of the default routes through it, in host byte order.
std::set<uint32_t> addresses_of(netlink::Socket& socket, int index) {
  std::set<uint32_t> found;
  dump(socket, RTM_GETADDR, sizeof(ifaddrmsg), [&](const netlink::Reply& reply) {
    const auto header = header_of<ifaddrmsg>(reply);
    if (header.ifa_family != AF_INET || header.ifa_prefixlen != 16 || static_cast<int>(header.ifa_index) != index)
      return;
    attributes_of<ifaddrmsg>(reply, [&](const netlink::Attribute& attribute) {
      uint32_t value = 0;
      if (attribute.type == IFA_LOCAL && attribute.u32(value)) found.insert(ntohl(value));
    });
  });
  return found;
}

std::set<uint32_t> gateways_of(netlink::Socket& socket, int index) {
  std::set<uint32_t> found;
  dump(socket, RTM_GETROUTE, sizeof(rtmsg), [&](const netlink::Reply& reply) {
    const auto header = header_of<rtmsg>(reply);
    if (header.rtm_family != AF_INET || header.rtm_dst_len != 0 || header.rtm_table != RT_TABLE_MAIN) return;
    uint32_t gateway = 0;
    uint32_t link = 0;
    attributes_of<rtmsg>(reply, [&](const netlink::Attribute& attribute) {
      if (attribute.type == RTA_GATEWAY) attribute.u32(gateway);
      if (attribute.type == RTA_OIF) attribute.u32(link);
    });
    if (static_cast<int>(link) == index) found.insert(ntohl(gateway));
  });
  return found;
}

void expect(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("wrong result: expected " + what);
}

void expect_count(const Links& links, size_t count) {
  expect(links.size() == count, fmt::format("{} links, found {}", count, links.size()));
}

const Link& expect_link(const Links& links, const std::string& name, const std::string& where = "") {
  const auto found = links.find(name);
  expect(found != links.end(), fmt::format("a link '{}'{}, found none", name, where));
  return found->second;
}

Links own_links() {
  netlink::Socket socket = open_socket();
  return links_of(socket);
}

void verify_inside(size_t container, const Case& of, int own) {
  const std::string where = fmt::format(" in namespace c{}", container);
  netlink::Result<netlink::Descriptor> netns = netlink::open_netns(fmt::format("c{}", container));
  expect(bool(netns), fmt::format("a namespace c{}, found none", container));
  netlink::Result<netlink::Socket> socket = netlink::open_socket_in(netns->get(), own);
  expect(bool(socket), "a socket" + where);
  const Links links = links_of(*socket);
  expect_count(links, 2);
  expect(expect_link(links, "lo", where).up, "lo up" + where);
  const Link& link = expect_link(links, "eth0", where);
  expect(link.up, "eth0 up" + where);
  const uint32_t address = container_address(container, of.units);
  const uint32_t gateway = bridge_address(bridge_of(container, of.units));
  expect(addresses_of(*socket, link.index) == std::set{address},
         fmt::format("{}/16 on eth0{}", dotted(address), where));
  expect(gateways_of(*socket, link.index) == std::set{gateway},
         fmt::format("default via {} dev eth0{}", dotted(gateway), where));
}

}  // namespace

void verify_pairs(const Case& of) {
  const Links links = own_links();
  expect_count(links, 2 * of.units + 1);
  for (size_t i = 0; i < of.units; ++i) {
    expect_link(links, fmt::format("v{}", i));
    expect_link(links, fmt::format("p{}", i));
  }
}

void verify_no_links(const Case&) { expect_count(own_links(), 1); }

void verify_deleted_pairs(const Case& of) {
  const Links links = own_links();
  expect_count(links, 2 * (of.total - of.units) + 1);
  for (size_t i = of.units; i < of.total; ++i) expect_link(links, fmt::format("v{}", i));
}

void verify_set(const Case& of) {
  const Links links = own_links();
  expect_count(links, 2 * of.total + 1);
  for (size_t i = 0; i < of.units; ++i) {
    const Link& link = expect_link(links, fmt::format("v{}", i));
    expect(link.up && link.mtu == 1400 && link.alias == fmt::format("port-{}", i),
           fmt::format("v{} up, mtu 1400, alias port-{}; found up {}, mtu {}, alias '{}'", i, i, link.up, link.mtu,
                       link.alias));
  }
}

void verify_set_one(const Case& of) {
  const Links links = own_links();
  expect_count(links, of.total + 1);
  const Link& link = expect_link(links, "v0");
  expect(link.mtu == 1400, fmt::format("v0 with mtu 1400, found {}", link.mtu));
}

void verify_containers(const Case& of) {
  netlink::Socket socket = open_socket();
  const Links links = links_of(socket);
  expect_count(links, of.units + bridge_count(of.units) + 1);
  for (size_t i = 0; i < bridge_count(of.units); ++i) {
    const Link& bridge = expect_link(links, fmt::format("br{}", i));
    expect(bridge.up, fmt::format("br{} up", i));
    expect(addresses_of(socket, bridge.index) == std::set{bridge_address(i)},
           fmt::format("{}/16 on br{}", dotted(bridge_address(i)), i));
  }
  for (size_t i = 0; i < of.units; ++i) {
    const Link& link = expect_link(links, fmt::format("v{}", i));
    const std::string bridge = fmt::format("br{}", bridge_of(i, of.units));
    expect(link.up && static_cast<int>(link.master) == expect_link(links, bridge).index,
           fmt::format("v{} up, master {}", i, bridge));
  }
  netlink::Result<netlink::Descriptor> own = netlink::open_own_netns();
  expect(bool(own), "an own namespace");
  for (size_t i = 0; i < of.units; ++i) verify_inside(i, of, own->get());
}

void verify_check(const Case& of) {
  expect_count(own_links(), 1);
  const std::filesystem::path path = of.directory / kScriptName;
  std::ofstream(path, std::ios::app) << "link set v0 mtuu 1400\n";
  const int status = std::system(fmt::format("'{}' check '{}' >/dev/null 2>&1", of.netbatch, path.string()).c_str());
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 2,
         fmt::format("exit status 2 for a mistake in the last line, found wait status {:#x}", status));
}

}  // namespace netbatch::bench
