// All that the executor does to the world goes through here, so that tests can script it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/operation.hpp"
#include "netlink/result.hpp"

namespace netbatch {

// A netlink message without its nlmsghdr.
using Message = std::vector<std::byte>;

struct LinkInfo {
  int index = 0;       // 0: there is no such link
  uint32_t group = 0;  // IFLA_GROUP
};

class Transport {
 public:
  virtual ~Transport() = default;

  // A number for the namespace itself, whatever it is called: the same for two names of one namespace, another after
  // it was deleted and made again.
  virtual netlink::Result<uint32_t> identity(NsId ns) = 0;

  // One call of sendmsg with whole messages, on the namespace's socket, which is opened on the first use; 0 or errno.
  virtual int send(NsId ns, std::span<const std::byte> messages) = 0;
  // One datagram of replies. ENOBUFS: the kernel dropped some; ETIMEDOUT: none came.
  virtual netlink::Result<size_t> receive(NsId ns, std::span<std::byte> buffer) = 0;
  // How many requests may all fail before their replies overflow the receive buffer.
  virtual netlink::Result<size_t> window(NsId ns) = 0;

  // The link's index; ENODEV.
  virtual netlink::Result<int> link_index(NsId ns, std::string_view name) = 0;
  // Many at once, pipelined: `found[i]` is what `names[i]` means now. 0 or errno. A name that does not exist costs
  // nothing here, while a miss of `link_index` may make the kernel look for a module.
  virtual int find_links(NsId ns, std::span<const std::string_view> names, std::vector<LinkInfo>& found) = 0;
  // The same, but the whole RTM_NEWLINK of each, from its ifinfomsg on; empty where there is no such link.
  virtual int read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) = 0;
  // All that RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE or RTM_GETNEIGH list: each reply from its family header on.
  virtual int dump(NsId ns, uint16_t type, std::vector<Message>& found) = 0;
  // Appends the proxy entries (NTF_PROXY), which RTM_GETNEIGH lists only by themselves.
  virtual int dump_proxies(NsId, std::vector<Message>&) { return 0; }
  // The links of these kinds, as `dump` gives them; perhaps others too.
  virtual int dump_kinds(NsId, std::span<const std::string_view>, std::vector<Message>&) { return 0; }
  // NsIds below it are namespaces, perhaps ones that are not there.
  virtual NsId namespace_count() const { return 0; }
  // The namespace that `from` knows by this number (IFLA_LINK_NETNSID), if it has a name.
  virtual std::optional<NsId> namespace_of(NsId, int) { return std::nullopt; }
  // Every link's name and alternative names.
  virtual int link_names(NsId ns, std::vector<std::string>& names) = 0;

  // A descriptor of the namespace, or its `pid` (netns(): see Resolver). EAGAIN: too many descriptors are in use by
  // requests that have not been sent; send them, call `release`, and ask again.
  virtual netlink::Result<int> netns(NsId ns, int* pid) = 0;
  // Descriptors handed out by `netns` are not needed any more.
  virtual void release() = 0;

  virtual int create_netns(NsId ns, std::string* what) = 0;
  // Many at once, in no order; `failures[i]` says how the i-th ended.
  struct NetnsFailure {
    int error = 0;
    std::string what{};
  };
  virtual void create_namespaces(std::span<const NsId> namespaces, std::span<NetnsFailure> failures) {
    for (size_t i = 0; i < namespaces.size(); ++i) failures[i].error = create_netns(namespaces[i], &failures[i].what);
  }
  virtual int delete_netns(NsId ns, std::string* what) = 0;
  // Holds the namespace that has the name, so that it lives on when it is deleted: `restore_netns` gives it its name
  // again. As far as there are descriptors for it.
  virtual void keep_netns(NsId) {}
  // Of those that had this name and were kept, the last one; 0 or errno.
  virtual int restore_netns(NsId) { return ENOENT; }
  // Lets all go that are kept.
  virtual void let_netns_go() {}
};

}  // namespace netbatch
