#include "interpreter/kernel_transport.hpp"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <thread>
#include <type_traits>

#include "interpreter/link_state.hpp"

namespace netbatch {
namespace {

constexpr int kTimeoutMs = 30'000;  // the kernel answers before sendmsg returns; this is for a lost answer
constexpr size_t kRequestBuffer = 96 * 1024;
constexpr size_t kReplyBuffer = 256 * 1024;
// A receive buffer's share for one failing request: the skb of an error with its sentence and the request's header, as
// the kernel accounts for it (af_netlink.c: netlink_ack; measured: 256 in 212,992 bytes).
constexpr size_t kBytesPerError = 832;
constexpr size_t kMostRequests = 1024;
// RTM_GETLINK replies are larger: about 1.3 KiB without statistics, accounted as 4 KiB at most.
constexpr size_t kBytesPerLink = 4096;

size_t header_size(uint16_t type) {
  switch (type) {
    case RTM_GETLINK:
      return sizeof(ifinfomsg);
    case RTM_GETADDR:
      return sizeof(ifaddrmsg);
    case RTM_GETROUTE:
      return sizeof(rtmsg);
    default:
      return sizeof(ndmsg);
  }
}

void put_name(netlink::MessageBuffer& buffer, std::string_view name) {
  buffer.put_string(name.size() < IFNAMSIZ ? IFLA_IFNAME : IFLA_ALT_IFNAME, name);
}

void read_link(const netlink::Reply& reply, LinkInfo& info) {
  ifinfomsg header{};
  if (reply.payload.size() < sizeof header) return;
  std::memcpy(&header, reply.payload.data(), sizeof header);
  info.index = header.ifi_index;
  netlink::AttributeReader attributes(reply.payload.subspan(NLMSG_ALIGN(sizeof header)));
  for (netlink::Attribute attribute; attributes.next(attribute);)
    if (attribute.type == IFLA_GROUP) attribute.u32(info.group);
}

void read_names(std::span<const std::byte> bytes, std::vector<std::string>& names) {
  netlink::AttributeReader attributes(bytes);
  for (netlink::Attribute attribute; attributes.next(attribute);) {
    if (attribute.type == IFLA_IFNAME || attribute.type == IFLA_ALT_IFNAME) names.emplace_back(attribute.text());
    if (attribute.type == IFLA_PROP_LIST) read_names(attribute.payload, names);
  }
}

// `ifN` is the link with index N where no link has that name, as for iproute2; 0 for any other name.
int index_in_name(std::string_view name) {
  int index = 0;
  if (!name.starts_with("if")) return 0;
  auto [end, error] = std::from_chars(name.data() + 2, name.data() + name.size(), index);
  return error == std::errc{} && end == name.data() + name.size() && index > 0 ? index : 0;
}

}  // namespace

KernelTransport::KernelTransport(Namespaces& namespaces)
    : namespaces_(namespaces), pool_(namespaces), request_(kRequestBuffer), buffer_(kReplyBuffer) {}

netlink::Result<uint32_t> KernelTransport::identity(NsId ns) {
  if (numbers_.size() <= ns) numbers_.resize(namespaces_.size());
  if (numbers_[ns] == 0) {
    auto entry = pool_.open(ns);
    if (!entry) return netlink::Result<uint32_t>::failure(entry.error());
    numbers_[ns] = (*entry)->number + 1;
  }
  return numbers_[ns] - 1;
}

int KernelTransport::send(NsId ns, std::span<const std::byte> messages) {
  auto entry = pool_.connect(ns);
  return entry ? (*entry)->socket.send(messages) : entry.error();
}

netlink::Result<size_t> KernelTransport::receive(NsId ns, std::span<std::byte> buffer) {
  auto entry = pool_.connect(ns);
  return entry ? (*entry)->socket.receive(buffer, kTimeoutMs) : netlink::Result<size_t>::failure(entry.error());
}

netlink::Result<size_t> KernelTransport::window(NsId ns) {
  auto entry = pool_.connect(ns);
  if (!entry) return netlink::Result<size_t>::failure(entry.error());
  const auto buffer = static_cast<size_t>((*entry)->socket.receive_buffer());
  return std::clamp<size_t>(buffer / kBytesPerError, 1, kMostRequests);
}

netlink::Result<int> KernelTransport::link_index(NsId ns, std::string_view name) {
  auto entry = pool_.connect(ns);
  if (!entry) return netlink::Result<int>::failure(entry.error());
  if (!misses_are_dear_ && name.size() < IFNAMSIZ) {
    auto index = (*entry)->socket.index_by_ioctl(name);
    if (index) return index;
    misses_are_dear_ = true;
  }
  std::vector<LinkInfo> found;
  if (const int error = find_links(ns, {&name, 1}, found); error != 0) return netlink::Result<int>::failure(error);
  if (found.front().index != 0) return found.front().index;
  const int index = index_in_name(name);
  return index != 0 ? netlink::Result<int>(index) : netlink::Result<int>::failure(ENODEV);
}

// Reads replies up to the NLMSG_ERROR or NLMSG_DONE of `last_sequence`, or up to one of which `handle` returns false.
template <class Handle>
int KernelTransport::receive_all(netlink::Socket& socket, uint32_t last_sequence, Handle&& handle) {
  for (;;) {
    auto size = socket.receive(buffer_, kTimeoutMs);
    if (!size) return size.error();
    netlink::ReplyReader reader(std::span<const std::byte>(buffer_).first(*size));
    for (netlink::Reply reply; reader.next(reply);) {
      if constexpr (std::is_same_v<decltype(handle(reply)), bool>) {
        if (!handle(reply)) return 0;
      } else {
        handle(reply);
      }
      const bool ends = reply.type == NLMSG_ERROR || reply.type == NLMSG_DONE;
      if (ends && reply.sequence == last_sequence) return 0;
    }
  }
}

// Asks for many links by name, a window at a time; each(i, reply) for those that exist.
template <class Found>
int KernelTransport::get_links(NsId ns, std::span<const std::string_view> names, Found&& each) {
  auto entry = pool_.connect(ns);
  if (!entry) return entry.error();
  netlink::Socket& socket = (*entry)->socket;
  const size_t window = std::clamp<size_t>(static_cast<size_t>(socket.receive_buffer()) / kBytesPerLink, 1, 256);
  for (size_t first = 0; first < names.size(); first += window) {
    const size_t count = std::min(window, names.size() - first);
    const uint32_t base = sequence_ + 1;
    for (size_t i = first; i < first + count; ++i) {
      request_.begin(RTM_GETLINK, 0, ++sequence_, sizeof(ifinfomsg));
      request_.put_u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
      put_name(request_, names[i]);
      request_.end();
    }
    request_.add_flags_to_last(NLM_F_ACK);
    int error = socket.send(request_.bytes());
    request_.clear();
    if (error != 0) return error;
    error = receive_all(socket, sequence_, [&](const netlink::Reply& reply) {
      const uint32_t place = reply.sequence - base;
      if (reply.type == RTM_NEWLINK && place < count) each(first + place, reply);
    });
    if (error != 0) return error;
  }
  return 0;
}

int KernelTransport::find_links(NsId ns, std::span<const std::string_view> names, std::vector<LinkInfo>& found) {
  found.assign(names.size(), {});
  return get_links(ns, names, [&](size_t i, const netlink::Reply& reply) { read_link(reply, found[i]); });
}

int KernelTransport::read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) {
  found.assign(names.size(), {});
  return get_links(ns, names, [&](size_t i, const netlink::Reply& reply) {
    found[i].assign(reply.payload.begin(), reply.payload.end());
  });
}

// A dump that another program's change interrupted (NLM_F_DUMP_INTR) is started again.
int KernelTransport::dump_family(NsId ns, uint16_t type, bool proxies, std::vector<Message>& found) {
  constexpr int kTries = 10;
  auto entry = pool_.connect(ns);
  if (!entry) return entry.error();
  const size_t before = found.size();
  for (int i = 0; i < kTries; ++i) {
    found.resize(before);
    void* header = request_.begin(type, NLM_F_DUMP, ++sequence_, header_size(type));
    if (proxies) static_cast<ndmsg*>(header)->ndm_flags = NTF_PROXY;
    if (type == RTM_GETLINK) request_.put_u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
    request_.end();
    int error = (*entry)->socket.send(request_.bytes());
    request_.clear();
    if (error != 0) return error;
    bool interrupted = false;
    error = receive_all((*entry)->socket, sequence_, [&](const netlink::Reply& reply) {
      interrupted = interrupted || (reply.flags & NLM_F_DUMP_INTR) != 0;
      if (reply.type == type - 2) found.emplace_back(reply.payload.begin(), reply.payload.end());  // RTM_NEW…
    });
    if (error != 0 || !interrupted) return error;
  }
  return EINTR;
}

int KernelTransport::dump(NsId ns, uint16_t type, std::vector<Message>& found) {
  found.clear();
  return dump_family(ns, type, false, found);
}

int KernelTransport::dump_proxies(NsId ns, std::vector<Message>& found) {
  return dump_family(ns, RTM_GETNEIGH, true, found);
}

// The kernel takes no notice of a kind whose module is not loaded, and shows all links: then there are none of it. The
// socket is closed on that dump, which may be long. Without IFLA_EXT_MASK: with one, the kernel measures every link of
// the namespace first, to find the size of its buffer (net/core/rtnetlink.c rtnl_calcit).
int KernelTransport::dump_kinds(NsId ns, std::span<const std::string_view> kinds, std::vector<Message>& found) {
  found.clear();
  auto entry = pool_.connect(ns);
  if (!entry) return entry.error();
  for (const std::string_view kind : kinds) {
    if (unknown_kinds_.contains(kind)) continue;
    auto socket = netlink::open_socket_in((*entry)->file.get(), pool_.own());
    if (!socket) return socket.error();
    request_.begin(RTM_GETLINK, NLM_F_DUMP, ++sequence_, sizeof(ifinfomsg));
    const size_t info = request_.begin_nest(IFLA_LINKINFO);
    request_.put_string(IFLA_INFO_KIND, kind);
    request_.end_nest(info);
    request_.end();
    int error = socket->send(request_.bytes());
    request_.clear();
    bool known = true;
    if (error == 0)
      error = receive_all(*socket, sequence_, [&](const netlink::Reply& reply) {
        if (reply.type != RTM_NEWLINK || !known) return known;
        Message link(reply.payload.begin(), reply.payload.end());
        known = link_kind_of(link) == kind;
        if (known) found.push_back(std::move(link));
        return known;
      });
    if (error != 0) return error;
    if (!known) unknown_kinds_.emplace(kind);
  }
  return 0;
}

// Those that the script names come first, then all that have a name.
std::optional<NsId> KernelTransport::namespace_of(NsId from, int number) {
  PeerNumbers& numbers = peer_numbers_[from];
  while (!numbers.known.contains(number)) {
    if (numbers.next == namespaces_.size() && !knows_all_names_) {
      knows_all_names_ = true;
      for (const std::string& name : netlink::netns_names()) namespaces_.intern(name);
    }
    if (numbers.next == namespaces_.size()) return std::nullopt;
    const NsId ns = numbers.next++;
    if (const auto found = read_number(from, ns)) numbers.known.try_emplace(*found, ns);
  }
  return numbers.known[number];
}

std::optional<int> KernelTransport::read_number(NsId from, NsId of) {
  auto entry = pool_.connect(from);
  auto there = pool_.open(of);  // the most recently used one now: stays open
  if (!entry || !there) return {};
  request_.begin(RTM_GETNSID, 0, ++sequence_, sizeof(rtgenmsg));
  request_.put_u32(NETNSA_FD, static_cast<uint32_t>((*there)->file.get()));
  request_.end();
  request_.add_flags_to_last(NLM_F_ACK);
  int error = (*entry)->socket.send(request_.bytes());
  request_.clear();
  int number = NETNSA_NSID_NOT_ASSIGNED;
  if (error == 0)
    error = receive_all((*entry)->socket, sequence_, [&](const netlink::Reply& reply) {
      std::span<const std::byte> payload;
      if (reply.type == RTM_NEWNSID &&
          netlink::find_payload(netlink::attributes_after(reply.payload, sizeof(rtgenmsg)), NETNSA_NSID, payload))
        number = netlink::read_struct<int>(payload);
    });
  return error == 0 && number != NETNSA_NSID_NOT_ASSIGNED ? std::optional(number) : std::nullopt;
}

int KernelTransport::link_names(NsId ns, std::vector<std::string>& names) {
  std::vector<Message> links;
  const int error = dump(ns, RTM_GETLINK, links);
  for (const Message& link : links)
    if (link.size() >= NLMSG_ALIGN(sizeof(ifinfomsg)))
      read_names(std::span(link).subspan(NLMSG_ALIGN(sizeof(ifinfomsg))), names);
  return error;
}

netlink::Result<int> KernelTransport::netns(NsId ns, int* pid) {
  *pid = 0;
  auto entry = pool_.pin(ns);
  return entry ? netlink::Result<int>((*entry)->file.get()) : netlink::Result<int>::failure(entry.error());
}

int KernelTransport::create_netns(NsId ns, std::string* what) {
  forget(ns);
  return netlink::create_netns(namespaces_.name(ns), pool_.own(), nullptr, what);
}

// Making a namespace takes 0.4 to 0.9 ms of CPU, nearly all of it in unshare(2), which runs on several CPUs at once.
void KernelTransport::create_namespaces(std::span<const NsId> namespaces, std::span<NetnsFailure> failures) {
  constexpr size_t kMostThreads = 4;
  constexpr size_t kWorthAThread = 8;
  for (const NsId ns : namespaces) forget(ns);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < namespaces.size(); i = next++)
      failures[i].error =
          netlink::create_netns(namespaces_.name(namespaces[i]), pool_.own(), nullptr, &failures[i].what);
  };
  const size_t count = std::min(
      {kMostThreads, size_t{std::max(1u, std::thread::hardware_concurrency())}, 1 + namespaces.size() / kWorthAThread});
  std::vector<std::jthread> threads;
  try {
    while (threads.size() + 1 < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // As many as could be started.
  }
  work();
}

int KernelTransport::delete_netns(NsId ns, std::string* what) {
  forget(ns);
  return netlink::delete_netns(namespaces_.name(ns), what);
}

void KernelTransport::keep_netns(NsId ns) {
  if (kept_.size() >= pool_.limit() / 8) return;
  if (auto file = netlink::open_netns(namespaces_.name(ns))) kept_.emplace_back(ns, std::move(*file));
}

int KernelTransport::restore_netns(NsId ns) {
  const auto place = std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& kept) { return kept.first == ns; });
  if (place == kept_.rend()) return ENOENT;
  forget(ns);
  const int error = netlink::name_netns(namespaces_.name(ns), place->second.get());
  if (error == 0) kept_.erase(std::next(place).base());
  return error;
}

void KernelTransport::forget(NsId ns) {
  pool_.forget(ns);
  peer_numbers_.clear();
  if (ns < numbers_.size()) numbers_[ns] = 0;
}

}  // namespace netbatch
