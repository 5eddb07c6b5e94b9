// The Transport that talks to the running kernel.
#pragma once

#include <map>
#include <set>

#include "interpreter/namespace_pool.hpp"
#include "interpreter/transport.hpp"
#include "netlink/ack.hpp"
#include "netlink/message.hpp"

namespace netbatch {

class KernelTransport : public Transport {
 public:
  // `namespaces` gets more of them where a link's other end must be looked for.
  explicit KernelTransport(Namespaces& namespaces);

  netlink::Result<uint32_t> identity(NsId ns) override;
  int send(NsId ns, std::span<const std::byte> messages) override;
  netlink::Result<size_t> receive(NsId ns, std::span<std::byte> buffer) override;
  netlink::Result<size_t> window(NsId ns) override;
  netlink::Result<int> link_index(NsId ns, std::string_view name) override;
  int find_links(NsId ns, std::span<const std::string_view> names, std::vector<LinkInfo>& found) override;
  int read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) override;
  int dump(NsId ns, uint16_t type, std::vector<Message>& found) override;
  int dump_proxies(NsId ns, std::vector<Message>& found) override;
  int dump_kinds(NsId ns, std::span<const std::string_view> kinds, std::vector<Message>& found) override;
  NsId namespace_count() const override { return static_cast<NsId>(namespaces_.size()); }
  std::optional<NsId> namespace_of(NsId from, int number) override;
  int link_names(NsId ns, std::vector<std::string>& names) override;
  netlink::Result<int> netns(NsId ns, int* pid) override;
  void release() override { pool_.unpin_all(); }
  int create_netns(NsId ns, std::string* what) override;
  void create_namespaces(std::span<const NsId> namespaces, std::span<NetnsFailure> failures) override;
  int delete_netns(NsId ns, std::string* what) override;
  void keep_netns(NsId ns) override;
  int restore_netns(NsId ns) override;
  void let_netns_go() override { kept_.clear(); }

 private:
  void forget(NsId ns);
  std::optional<int> read_number(NsId from, NsId of);
  template <class Found>
  int get_links(NsId ns, std::span<const std::string_view> names, Found&& each);
  int dump_family(NsId ns, uint16_t type, bool proxies, std::vector<Message>& found);  // appends
  template <class Handle>
  int receive_all(netlink::Socket& socket, uint32_t last_sequence, Handle&& handle);

  // As one namespace knows the others (RTM_GETNSID), as far as they have been asked for.
  struct PeerNumbers {
    NsId next = 0;
    std::map<int, NsId> known;
  };

  Namespaces& namespaces_;
  NamespacePool pool_;
  std::vector<uint32_t> numbers_;  // by NsId: identity + 1, 0 when not known
  bool misses_are_dear_ = false;   // a look-up by ioctl has missed: from now on ask by RTM_GETLINK, which loads nothing
  std::set<std::string, std::less<>> unknown_kinds_;  // of which no link can exist: their module is not loaded
  std::map<NsId, PeerNumbers> peer_numbers_;
  bool knows_all_names_ = false;                            // those below /run/netns are among the namespaces
  std::vector<std::pair<NsId, netlink::Descriptor>> kept_;  // namespaces, in the order of their deletion
  uint32_t sequence_ = 0;
  netlink::MessageBuffer request_;
  std::vector<std::byte> buffer_;
};

}  // namespace netbatch
