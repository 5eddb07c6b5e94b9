#include "floor.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

#include "netlink/netns.hpp"
#include "requests.hpp"

namespace netbatch::bench {

namespace {

// One RTM_DELLINK of so many holds the RTNL lock for about 0.2 s. All at once would be 20 % cheaper and hold it for 1
// s.
constexpr size_t kDeleteChunk = 1000;
constexpr uint32_t kFirstGroup = 0x6e620000;
// Far above what the kernel would give out, so that the requests can be made before the links.
constexpr int kFirstBridgeIndex = 900'000;
constexpr int kFirstPortIndex = 1'000'000;
constexpr int kInnerIndex = 2;  // lo is 1
constexpr int kThreads = 2;     // creating a namespace does not need the RTNL lock

void add_pairs(Requests& requests, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    requests.add_veth({.name = fmt::format("v{}", i)}, {.name = fmt::format("p{}", i)}, false);
  }
}

std::function<void()> sender(std::shared_ptr<Requests> requests) {
  return [requests] {
    netlink::Socket socket = open_socket();
    requests->send(socket);
  };
}

struct Containers {
  Requests bridges;
  std::vector<Requests> inner;
  Requests ports;  // and, after them, the bridges: else each port's IPv6 packets are flooded to all ports before it
  netlink::Descriptor host;

  void make(size_t index);
  void make_all();
};

// The namespace, then all that is in it with one sendmsg.
void Containers::make(size_t index) {
  netlink::Socket socket;
  const int error = netlink::create_netns(fmt::format("c{}", index), host.get(), &socket);
  if (error != 0) throw std::runtime_error(fmt::format("floor: netns c{}: {}", index, std::strerror(error)));
  inner[index].send(socket);
}

void Containers::make_all() {
  std::atomic<size_t> next = 0;
  std::string failures[kThreads];
  std::vector<std::thread> threads;
  for (std::string& failure : failures) {
    threads.emplace_back([this, &next, &failure] {
      try {
        for (size_t i = next++; i < inner.size(); i = next++) make(i);
      } catch (const std::exception& error) {
        failure = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (!failure.empty()) throw std::runtime_error(failure);
  }
}

Requests inner_requests(size_t container, size_t containers, int host) {
  Requests requests(1024);
  requests.set_up(1);
  requests.add_veth(
      {.name = "eth0", .index = kInnerIndex},
      {.name = fmt::format("v{}", container), .index = kFirstPortIndex + static_cast<int>(container), .netns = host},
      true);
  requests.add_address(kInnerIndex, container_address(container, containers));
  requests.add_default_route(kInnerIndex, bridge_address(bridge_of(container, containers)));
  return requests;
}

}  // namespace

size_t bridge_count(size_t containers) { return (containers + kPortsPerBridge - 1) / kPortsPerBridge; }

size_t bridge_of(size_t container, size_t containers) { return container * bridge_count(containers) / containers; }

uint32_t bridge_address(size_t bridge) { return 0x0a000001 + (static_cast<uint32_t>(bridge) << 16); }

uint32_t container_address(size_t container, size_t containers) {
  // Numbered over all bridges: what matters is that no two are the same.
  return bridge_address(bridge_of(container, containers)) + 1 + static_cast<uint32_t>(container);
}

std::string dotted(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

void make_pairs(const Case& of) {
  Requests requests;
  add_pairs(requests, of.total);
  netlink::Socket socket = open_socket();
  requests.send(socket);
}

void make_host(const Case& of) {
  Requests requests;
  add_pairs(requests, of.total / 2);
  netlink::Socket socket = open_socket();
  requests.send(socket);
}

std::function<void()> floor_add_pairs(const Case& of) {
  auto requests = std::make_shared<Requests>();
  add_pairs(*requests, of.units);
  return sender(requests);
}

std::function<void()> floor_delete_pairs(const Case& of) {
  auto requests = std::make_shared<Requests>();
  for (size_t first = 0; first < of.units; first += kDeleteChunk) {
    const uint32_t group = kFirstGroup + static_cast<uint32_t>(first);
    for (size_t i = first; i < std::min(first + kDeleteChunk, of.units); ++i) {
      requests->set_group(fmt::format("v{}", i), group);
    }
    requests->delete_group(group);
  }
  return sender(requests);
}

std::function<void()> floor_set(const Case& of) {
  auto requests = std::make_shared<Requests>();
  for (size_t i = 0; i < of.units; ++i) requests->set_up_with(fmt::format("v{}", i), 1400, fmt::format("port-{}", i));
  return sender(requests);
}

std::function<void()> floor_containers(const Case& of) {
  auto all = std::make_shared<Containers>();
  netlink::Result<netlink::Descriptor> host = netlink::open_own_netns();
  if (!host) throw std::runtime_error(fmt::format("floor: own namespace: {}", std::strerror(host.error())));
  all->host = std::move(*host);
  for (size_t i = 0; i < bridge_count(of.units); ++i) {
    const int index = kFirstBridgeIndex + static_cast<int>(i);
    all->bridges.add_bridge(fmt::format("br{}", i), index);
    all->bridges.add_address(index, bridge_address(i));
  }
  for (size_t i = 0; i < of.units; ++i) {
    all->inner.push_back(inner_requests(i, of.units, all->host.get()));
    all->ports.set_up(kFirstPortIndex + static_cast<int>(i),
                      kFirstBridgeIndex + static_cast<int>(bridge_of(i, of.units)));
  }
  for (size_t i = 0; i < bridge_count(of.units); ++i) all->ports.set_up(kFirstBridgeIndex + static_cast<int>(i));
  return [all] {
    netlink::Socket socket = open_socket();
    all->bridges.send(socket);
    all->make_all();
    all->ports.send(socket);
  };
}

}  // namespace netbatch::bench
