// A kernel for the executor's tests: it keeps a log of what it was asked, as text, and answers as the test says.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "interpreter/transport.hpp"

namespace netbatch::test {

using Bytes = std::vector<std::byte>;

// An NLMSG_ERROR: `error` 0 is a success; with the kernel's sentence and NLMSGERR_ATTR_OFFS where they are given.
Bytes ack(uint32_t sequence, int error = 0, std::string_view text = {}, uint32_t offset = 0);

// The messages of a datagram: "new a mtu=1400 up; set b master=7". A link is given as its name or as #index.
std::string messages_text(std::span<const std::byte> messages);

class FakeTransport : public Transport {
 public:
  using Datagram = std::variant<Bytes, int>;  // or the errno of recvmsg

  // Requests whose text begins with `request` fail, `times` times.
  struct Rule {
    std::string request;
    int error = 0;
    std::string text{};
    uint32_t offset = 0;
    int times = 1;
  };

  std::map<std::pair<NsId, std::string>, LinkInfo> links;  // what there is; sending changes nothing of it
  std::vector<Rule> rules;
  std::map<size_t, std::vector<Datagram>> scripted;  // instead of the kernel's answers, by number of the send, from 0
  std::map<size_t, int> send_errors;
  std::function<void(size_t)> on_send;                              // with the number of the send
  std::map<std::pair<NsId, std::string>, Message> states;           // what read_links shows
  std::map<std::pair<NsId, uint16_t>, std::vector<Message>> dumps;  // by the type of the request
  size_t window_size = 256;
  std::string log;  // a line for each call that reaches the kernel

  netlink::Result<uint32_t> identity(NsId ns) override { return ns; }
  int send(NsId ns, std::span<const std::byte> messages) override;
  netlink::Result<size_t> receive(NsId ns, std::span<std::byte> buffer) override;
  netlink::Result<size_t> window(NsId) override { return window_size; }
  netlink::Result<int> link_index(NsId ns, std::string_view name) override;
  int find_links(NsId ns, std::span<const std::string_view> names, std::vector<LinkInfo>& found) override;
  int read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) override;
  int dump(NsId ns, uint16_t type, std::vector<Message>& found) override;
  int link_names(NsId ns, std::vector<std::string>& names) override;
  netlink::Result<int> netns(NsId, int* pid) override;
  void release() override {}
  int create_netns(NsId ns, std::string* what) override;
  int delete_netns(NsId ns, std::string* what) override;

 private:
  void answer(std::span<const std::byte> messages);
  LinkInfo find(NsId ns, std::string_view name) const;

  size_t sends_ = 0;
  std::deque<Datagram> replies_;
};

}  // namespace netbatch::test
