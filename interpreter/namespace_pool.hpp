// Descriptors and sockets of network namespaces: opened on demand, a bounded number at a time, least recently used
// closed first. Thousands of namespaces need no more than RLIMIT_NOFILE allows.
#pragma once

#include <list>
#include <unordered_map>

#include "interpreter/operation.hpp"
#include "netlink/netns.hpp"

namespace netbatch {

class NamespacePool {
 public:
  explicit NamespacePool(const Namespaces& namespaces);

  struct Entry {
    NsId ns = 0;
    netlink::Descriptor file;
    netlink::Socket socket;
    netlink::NetnsIdentity identity;
    uint32_t number = 0;  // of the identity
    bool pinned = false;  // its descriptor is in a message that has not been sent
  };

  // EAGAIN: every descriptor that may be open is pinned.
  netlink::Result<Entry*> open(NsId ns);
  // With its socket.
  netlink::Result<Entry*> connect(NsId ns);
  // The descriptor for use in a message: stays open until unpin_all.
  netlink::Result<Entry*> pin(NsId ns);
  void unpin_all();
  // The name means another namespace now, or none.
  void forget(NsId ns);
  int own() const { return own_.get(); }
  // How many descriptors the pool may have.
  size_t limit() const { return limit_; }

 private:
  using Entries = std::list<Entry>;
  struct IdentityHash {
    size_t operator()(const netlink::NetnsIdentity& identity) const {
      return std::hash<uint64_t>{}(identity.inode * 31 + identity.device);
    }
  };
  bool make_room();

  const Namespaces& namespaces_;
  netlink::Descriptor own_;
  Entries entries_;  // most recently used first
  std::vector<Entries::iterator> places_;
  std::unordered_map<netlink::NetnsIdentity, uint32_t, IdentityHash> numbers_;
  size_t limit_;
  size_t pinned_ = 0;
};

}  // namespace netbatch
