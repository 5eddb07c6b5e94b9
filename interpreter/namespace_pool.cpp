#include "interpreter/namespace_pool.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace netbatch {
namespace {

constexpr int kReceiveBuffer = 1 << 20;
constexpr size_t kMostOpen = 512;
constexpr size_t kReserved = 40;  // descriptors for everything else

// Each namespace takes two descriptors: its file and its socket.
size_t open_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kReserved + 8) return 4;
  return std::min<size_t>(kMostOpen, (limit.rlim_cur - kReserved) / 2);
}

netlink::Result<netlink::Descriptor> open_file(const std::string& name, bool may_be_pid) {
  auto file = netlink::open_netns(name);
  if (file || file.error() != ENOENT || !may_be_pid) return file;
  pid_t pid = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc{} || end != name.data() + name.size() || pid <= 0) return file;
  return netlink::open_netns_of_pid(pid);
}

}  // namespace

NamespacePool::NamespacePool(const Namespaces& namespaces) : namespaces_(namespaces), limit_(open_limit()) {
  if (auto own = netlink::open_own_netns()) own_ = std::move(*own);
}

netlink::Result<NamespacePool::Entry*> NamespacePool::open(NsId ns) {
  using Opened = netlink::Result<Entry*>;
  if (places_.size() <= ns) places_.resize(namespaces_.size(), entries_.end());
  if (places_[ns] != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, places_[ns]);
    return &entries_.front();
  }
  while (entries_.size() >= limit_)
    if (!make_room()) return Opened::failure(EAGAIN);
  auto file = ns == 0 ? netlink::open_own_netns() : open_file(namespaces_.name(ns), namespaces_.may_be_pid(ns));
  while (!file && file.error() == EMFILE && make_room())
    file = ns == 0 ? netlink::open_own_netns() : open_file(namespaces_.name(ns), namespaces_.may_be_pid(ns));
  if (!file) return Opened::failure(file.error());
  auto identity = netlink::netns_identity(file->get());
  if (!identity) return Opened::failure(identity.error());
  Entry& entry = entries_.emplace_front();
  entry.ns = ns;
  entry.file = std::move(*file);
  entry.identity = *identity;
  entry.number = numbers_.try_emplace(*identity, static_cast<uint32_t>(numbers_.size())).first->second;
  places_[ns] = entries_.begin();
  return &entry;
}

netlink::Result<NamespacePool::Entry*> NamespacePool::connect(NsId ns) {
  auto opened = open(ns);
  if (!opened || (*opened)->socket) return opened;
  Entry& entry = **opened;
  auto socket = netlink::open_socket_in(entry.file.get(), own_.get(), kReceiveBuffer);
  while (!socket && socket.error() == EMFILE && make_room())
    socket = netlink::open_socket_in(entry.file.get(), own_.get(), kReceiveBuffer);
  if (!socket) return netlink::Result<Entry*>::failure(socket.error());
  entry.socket = std::move(*socket);
  return opened;
}

netlink::Result<NamespacePool::Entry*> NamespacePool::pin(NsId ns) {
  auto opened = open(ns);
  if (opened && !(*opened)->pinned) {
    (*opened)->pinned = true;
    ++pinned_;
  }
  return opened;
}

void NamespacePool::unpin_all() {
  if (pinned_ == 0) return;
  for (Entry& entry : entries_) entry.pinned = false;
  pinned_ = 0;
}

// Closes the least recently used namespace that is not needed now; the own one and the newest stay.
bool NamespacePool::make_room() {
  for (auto place = entries_.end(); place != entries_.begin();) {
    --place;
    if (place->pinned || place->ns == 0 || place == entries_.begin()) continue;
    places_[place->ns] = entries_.end();
    entries_.erase(place);
    return true;
  }
  return false;
}

void NamespacePool::forget(NsId ns) {
  if (ns >= places_.size() || places_[ns] == entries_.end()) return;
  if (places_[ns]->pinned) --pinned_;
  entries_.erase(places_[ns]);
  places_[ns] = entries_.end();
}

}  // namespace netbatch
