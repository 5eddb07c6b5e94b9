// The state of one or more namespaces, as the kernel lists it.
#pragma once

#include <linux/rtnetlink.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/kinds.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

using Bytes = std::span<const std::byte>;

// The attributes of a message or of a nested one; views of it.
class Attributes {
 public:
  Attributes() = default;
  explicit Attributes(Bytes bytes);
  bool has(uint16_t type) const { return values_.contains(type); }
  Bytes bytes(uint16_t type) const;  // empty when it is not there
  // Up to 8 bytes in host byte order.
  uint64_t number(uint16_t type, uint64_t otherwise = 0) const;
  std::string text(uint16_t type) const;  // up to the first NUL
  Attributes nested(uint16_t type) const { return Attributes(bytes(type)); }

 private:
  std::map<uint16_t, Bytes> values_;
};

struct SavedLink {
  NsId ns = 0;
  ifinfomsg header{};
  Attributes attributes;
  std::string name;
  std::string kind_name;
  const Kind* kind = nullptr;  // null: netbatch cannot make it
  Attributes options;          // IFLA_INFO_DATA
  std::string port_kind;       // "bridge" …: of the master
  Attributes port_options;
  // Null where there is none, or where it is not in what is saved: `elsewhere` then.
  SavedLink* master = nullptr;
  SavedLink* below = nullptr;
  SavedLink* peer = nullptr;
  bool elsewhere = false;
};

struct SavedNamespace {
  NsId ns = 0;
  std::vector<Message> messages;  // of the links
  std::deque<SavedLink> links;    // in order of their indexes
  std::vector<Message> addresses, routes, neighbours;

  SavedLink* find(int index);
};

// The family header at the start of a message.
template <class Header>
Header header_of(const Message& message) {
  Header header{};
  if (message.size() >= sizeof header) __builtin_memcpy(&header, message.data(), sizeof header);
  return header;
}
template <class Header>
Attributes attributes_of(const Message& message) {
  constexpr size_t kSize = NLMSG_ALIGN(sizeof(Header));
  return message.size() < kSize ? Attributes{} : Attributes(Bytes(message).subspan(kSize));
}

// Fills `namespaces`, whose `ns` are set, and finds out what is on what, across all of them. 0 or errno.
int read_state(Transport& transport, std::deque<SavedNamespace>& namespaces);

}  // namespace netbatch
