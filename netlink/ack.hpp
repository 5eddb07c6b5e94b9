// NLMSG_ERROR and NLMSG_DONE replies as records. Pure: bytes in, records out. Source: Documentation/userspace-api/
// netlink/intro.rst, include/uapi/linux/netlink.h (nlmsgerr_attrs).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace netbatch::netlink {

struct Ack {
  uint32_t sequence = 0;
  int error = 0;              // positive errno; 0 is success
  std::string_view message;   // NLMSGERR_ATTR_MSG, the kernel's own sentence (also a warning when error is 0), or empty
  uint32_t offset = 0;        // NLMSGERR_ATTR_OFFS: offset in the request of the attribute at fault; 0 if none
  uint16_t missing_type = 0;  // NLMSGERR_ATTR_MISS_TYPE; 0 if none
};

// A reply of any type, as found in a datagram.
struct Reply {
  uint16_t type = 0;  // NLMSG_ERROR, NLMSG_DONE, RTM_NEWLINK …
  uint16_t flags = 0;
  uint32_t sequence = 0;
  std::span<const std::byte> payload;  // after the nlmsghdr
};

// Walks the messages of a datagram. `next` returns false at its end or at the first malformed message (`malformed()`
// tells which). Views point into the datagram.
class ReplyReader {
 public:
  explicit ReplyReader(std::span<const std::byte> datagram) : rest_(datagram) {}
  bool next(Reply& reply);
  bool malformed() const { return malformed_; }

 private:
  std::span<const std::byte> rest_;
  bool malformed_ = false;
};

// Decodes an NLMSG_ERROR (with or without the request echoed in it: NLM_F_CAPPED; with or without attributes:
// NLM_F_ACK_TLVS) or the NLMSG_DONE that ends a dump. False when it is neither or is malformed. Attributes behind a
// malformed one are not read.
bool decode_ack(const Reply& reply, Ack& ack);

// One attribute of a message.
struct Attribute {
  uint16_t type = 0;  // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
  std::span<const std::byte> payload;
  std::string_view text() const;    // see text_of
  bool u32(uint32_t& value) const;  // false when it has not 4 bytes
};

// Walks attributes; stops at the end or at the first malformed one.
class AttributeReader {
 public:
  explicit AttributeReader(std::span<const std::byte> attributes) : rest_(attributes) {}
  bool next(Attribute& attribute);

 private:
  std::span<const std::byte> rest_;
};

// The payload of the first attribute of this type, a view of what was given, and whether there is one. Without one
// `payload` stays as it is.
bool find_payload(std::span<const std::byte> attributes, uint16_t type, std::span<const std::byte>& payload);

// The same, empty where there is none.
std::span<const std::byte> payload_of(std::span<const std::byte> attributes, uint16_t type);

// A payload as text, up to the first NUL.
std::string_view text_of(std::span<const std::byte> payload);

// The attributes after a family header of this size; none when the message is too short.
std::span<const std::byte> attributes_after(std::span<const std::byte> message, size_t header_size);

// The beginning of the bytes as a kernel's struct; what is missing is zero.
template <class Struct>
Struct read_struct(std::span<const std::byte> bytes) {
  Struct data{};
  if (!bytes.empty()) std::memcpy(&data, bytes.data(), std::min(bytes.size(), sizeof data));
  return data;
}

}  // namespace netbatch::netlink
