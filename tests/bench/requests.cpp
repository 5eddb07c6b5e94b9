#include "requests.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/veth.h>
#include <net/if.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace netbatch::bench {

using netlink::MessageBuffer;

namespace {

constexpr size_t kWindowRequests = 100;  // errors of that many fit the default receive buffer
constexpr int kTimeoutMs = 120'000;

void put_name_and_netns(MessageBuffer& buffer, const VethEnd& end) {
  buffer.put_string(IFLA_IFNAME, end.name);
  if (end.netns >= 0) buffer.put_u32(IFLA_NET_NS_FD, static_cast<uint32_t>(end.netns));
}

[[noreturn]] void fail(std::string_view what, int error) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(error)));
}

// Receives until the ACK of `last` or the end of its dump has come.
void receive_until(netlink::Socket& socket, uint32_t last, const std::function<void(const netlink::Reply&)>& other) {
  std::array<std::byte, 65536> datagram;
  while (true) {
    netlink::Result<size_t> size = socket.receive(datagram, kTimeoutMs);
    if (!size) fail("receive", size.error());
    netlink::ReplyReader reader({datagram.data(), *size});
    netlink::Reply reply;
    while (reader.next(reply)) {
      netlink::Ack ack;
      if (!netlink::decode_ack(reply, ack)) {
        other(reply);
        continue;
      }
      if (ack.error != 0) fail(fmt::format("request {} ({})", ack.sequence, ack.message), ack.error);
      if (ack.sequence == last) return;
    }
  }
}

}  // namespace

Requests::Window& Requests::window() {
  if (windows_.empty() || windows_.back().count == kWindowRequests) {
    windows_.push_back({MessageBuffer(window_bytes_), 0, 0});
  }
  return windows_.back();
}

template <class Header>
Header* Requests::header(uint16_t type, uint16_t flags) {
  return static_cast<Header*>(window().messages.begin(type, flags, ++sequence_, sizeof(Header)));
}

void Requests::end() {
  Window& current = window();
  if (!current.messages.end()) throw std::runtime_error("a window's buffer is too small");
  current.last = sequence_;
  ++current.count;
}

void Requests::add_bridge(std::string_view name, int index) {
  header<ifinfomsg>(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL)->ifi_index = index;
  MessageBuffer& buffer = window().messages;
  buffer.put_string(IFLA_IFNAME, name);
  const size_t info = buffer.begin_nest(IFLA_LINKINFO);
  buffer.put_string(IFLA_INFO_KIND, "bridge");
  buffer.end_nest(info);
  end();
}

void Requests::add_veth(const VethEnd& link, const VethEnd& peer, bool up) {
  auto* main = header<ifinfomsg>(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  main->ifi_index = link.index;
  main->ifi_flags = main->ifi_change = up ? IFF_UP : 0;
  MessageBuffer& buffer = window().messages;
  put_name_and_netns(buffer, link);
  const size_t info = buffer.begin_nest(IFLA_LINKINFO);
  buffer.put_string(IFLA_INFO_KIND, "veth");
  const size_t data = buffer.begin_nest(IFLA_INFO_DATA);
  const size_t nested = buffer.begin_nest(VETH_INFO_PEER);
  static_cast<ifinfomsg*>(buffer.raw(sizeof(ifinfomsg)))->ifi_index = peer.index;
  put_name_and_netns(buffer, peer);
  buffer.end_nest(nested);
  buffer.end_nest(data);
  buffer.end_nest(info);
  end();
}

void Requests::set_up(int index, int master) {
  auto* link = header<ifinfomsg>(RTM_SETLINK, 0);
  link->ifi_index = index;
  link->ifi_flags = link->ifi_change = IFF_UP;
  if (master != 0) window().messages.put_u32(IFLA_MASTER, static_cast<uint32_t>(master));
  end();
}

void Requests::set_up_with(std::string_view name, uint32_t mtu, std::string_view alias) {
  auto* link = header<ifinfomsg>(RTM_SETLINK, 0);
  link->ifi_flags = link->ifi_change = IFF_UP;
  MessageBuffer& buffer = window().messages;
  buffer.put_string(IFLA_IFNAME, name);
  buffer.put_u32(IFLA_MTU, mtu);
  buffer.put_string(IFLA_IFALIAS, alias);
  end();
}

void Requests::set_group(std::string_view name, uint32_t group) {
  header<ifinfomsg>(RTM_SETLINK, 0);
  window().messages.put_string(IFLA_IFNAME, name);
  window().messages.put_u32(IFLA_GROUP, group);
  end();
}

void Requests::delete_group(uint32_t group) {
  header<ifinfomsg>(RTM_DELLINK, 0);
  window().messages.put_u32(IFLA_GROUP, group);
  end();
}

void Requests::add_address(int index, uint32_t address) {
  auto* row = header<ifaddrmsg>(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
  row->ifa_family = AF_INET;
  row->ifa_prefixlen = 16;
  row->ifa_index = static_cast<uint32_t>(index);
  window().messages.put_u32(IFA_LOCAL, htonl(address));
  window().messages.put_u32(IFA_ADDRESS, htonl(address));
  end();
}

void Requests::add_default_route(int index, uint32_t gateway) {
  auto* route = header<rtmsg>(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
  route->rtm_family = AF_INET;
  route->rtm_table = RT_TABLE_MAIN;
  route->rtm_protocol = RTPROT_BOOT;
  route->rtm_type = RTN_UNICAST;
  window().messages.put_u32(RTA_GATEWAY, htonl(gateway));
  window().messages.put_u32(RTA_OIF, static_cast<uint32_t>(index));
  end();
}

void Requests::send(netlink::Socket& socket) {
  for (Window& current : windows_) {
    current.messages.add_flags_to_last(NLM_F_ACK);
    if (const int error = socket.send(current.messages.bytes()); error != 0) fail("send", error);
    receive_until(socket, current.last, [](const netlink::Reply&) {});
  }
}

netlink::Socket open_socket() {
  netlink::Result<netlink::Socket> socket = netlink::Socket::open();
  if (!socket) fail("socket", socket.error());
  return std::move(*socket);
}

void dump(netlink::Socket& socket, uint16_t type, size_t header_size,
          const std::function<void(const netlink::Reply&)>& reply) {
  MessageBuffer buffer(256);
  buffer.begin(type, NLM_F_DUMP, 1, header_size);
  buffer.end();
  if (const int error = socket.send(buffer.bytes()); error != 0) fail("send", error);
  receive_until(socket, 1, reply);
}

}  // namespace netbatch::bench
