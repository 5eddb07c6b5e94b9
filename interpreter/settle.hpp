// `ensure` and `absent` become plain operations, or nothing, by what there is: the kernel's present state, of which
// only what the script names is read, and what the statements before them in the script do.
#pragma once

#include <vector>

#include "grammar/diagnostic.hpp"
#include "interpreter/difference.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

class StateReader {
 public:
  virtual ~StateReader() = default;
  // A number for the namespace itself; ENOENT and the like when there is none.
  virtual netlink::Result<uint32_t> identity(NsId ns) = 0;
  // Whether /run/netns has this name.
  virtual bool has_netns(NsId ns) = 0;
  // As of Transport.
  virtual int read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) = 0;
  virtual int dump(NsId ns, uint16_t type, std::vector<Message>& found) = 0;
};

// The running kernel's.
class TransportReader : public StateReader {
 public:
  TransportReader(Transport& transport, const Namespaces& namespaces)
      : transport_(transport), namespaces_(namespaces) {}
  netlink::Result<uint32_t> identity(NsId ns) override { return transport_.identity(ns); }
  bool has_netns(NsId ns) override;
  int read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) override {
    return transport_.read_links(ns, names, found);
  }
  // RTM_GETNEIGH: with the proxy entries, which the kernel lists apart.
  int dump(NsId ns, uint16_t type, std::vector<Message>& found) override;

 private:
  int dump_proxies(NsId ns, std::vector<Message>& found);
  Transport& transport_;
  const Namespaces& namespaces_;
};

// What cannot be made so, e.g. because there is a link of another kind.
struct Unsettled {
  uint32_t operation = 0;  // its place in the list before
  uint32_t transaction = 0;
  grammar::Diagnostic error;
};

// Rewrites `operations`: none of Verb::Ensure, Absent, EnsureName and AbsentName remains. What is unsettled is left
// out. Each operation keeps the number of the one that it comes from. Without such verbs nothing is read.
// `differences`, if given, gets what each of them has found, in the script's order.
std::vector<Unsettled> settle(Operations& operations, const Namespaces& namespaces, StateReader& reader,
                              std::vector<Difference>* differences = nullptr);

}  // namespace netbatch
