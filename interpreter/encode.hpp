// An operation as a netlink message. Names are resolved on the way.
#pragma once

#include "interpreter/operation.hpp"
#include "netlink/message.hpp"
#include "netlink/result.hpp"

namespace netbatch {

// What encoding needs to know of the world.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // The index of the link in the namespace; ENODEV when there is none.
  virtual netlink::Result<int> link(NsId ns, std::string_view name) = 0;
  // A descriptor of the namespace, valid until the message has been sent; or, when the name is a PID and no namespace
  // has that name, `pid` is set and the result is 0.
  virtual netlink::Result<int> netns(NsId ns, int* pid) = 0;
};

// Appends IFLA_NET_NS_FD or IFLA_NET_NS_PID, of what Resolver::netns gives.
void put_netns(netlink::MessageBuffer& buffer, int netns, int pid);

// Why an operation could not be encoded: a name did not resolve, or the message did not fit.
struct EncodeError {
  enum class What : uint8_t { None, NoLink, NoNetns, TooLong } what = What::None;
  int error = 0;          // errno
  Span span;              // the operand at fault
  std::string_view name;  // what did not resolve
  NsId ns = 0;            // where it was looked for, or the namespace that did not open
  explicit operator bool() const { return what != What::None; }
};

// Which bytes of the message an option became, for NLMSGERR_ATTR_OFFS.
struct Mark {
  size_t begin;  // from the start of the message
  size_t end;
  Span span;
};

struct EncodeOptions {
  uint32_t sequence = 0;
  std::vector<Mark>* marks = nullptr;  // filled when not null; the innermost mark that holds an offset is the option's
};

// Appends the message for `operation` to `buffer`. On an error nothing is appended.
// link set|del name their link by IFLA_IFNAME (IFLA_ALT_IFNAME when longer than 15 bytes), without a look-up, unless
// the operation renames, or the name is `ifN` (an index), when the index is resolved.
EncodeError encode(const Operation& operation, const Operations& operations, Resolver& resolver,
                   const EncodeOptions& options, netlink::MessageBuffer& buffer);

}  // namespace netbatch
