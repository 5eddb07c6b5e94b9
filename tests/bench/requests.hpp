// Ready-made rtnetlink requests: built before the clock starts, sent as they are.
#pragma once

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "netlink/ack.hpp"
#include "netlink/message.hpp"
#include "netlink/socket.hpp"

namespace netbatch::bench {

// One end of a veth pair. Index 0: the kernel's choice. Namespace -1: the socket's own.
struct VethEnd {
  std::string name;
  int index = 0;
  int netns = -1;
};

class Requests {
 public:
  // A window that is small saves memory where there are many objects of few requests each.
  explicit Requests(size_t window_bytes = 32768) : window_bytes_(window_bytes) {}

  void add_bridge(std::string_view name, int index);
  void add_veth(const VethEnd& link, const VethEnd& peer, bool up);
  void set_up(int index, int master = 0);
  void set_up_with(std::string_view name, uint32_t mtu, std::string_view alias);
  void set_group(std::string_view name, uint32_t group);
  void delete_group(uint32_t group);
  void add_address(int index, uint32_t address);  // host byte order, /16
  void add_default_route(int index, uint32_t gateway);

  // Sends the windows, one after the other, and awaits each one's ACK. Throws std::runtime_error at the first error.
  void send(netlink::Socket& socket);

 private:
  template <class Header>
  Header* header(uint16_t type, uint16_t flags);
  void end();

  struct Window {
    netlink::MessageBuffer messages;
    uint32_t last = 0;  // sequence number of its last request, the one that asks for the ACK
    size_t count = 0;
  };
  Window& window();

  size_t window_bytes_;
  std::vector<Window> windows_;
  uint32_t sequence_ = 0;
};

netlink::Socket open_socket();

// Asks for a dump and hands over each of its replies.
void dump(netlink::Socket& socket, uint16_t type, size_t header_size,
          const std::function<void(const netlink::Reply&)>& reply);

}  // namespace netbatch::bench
