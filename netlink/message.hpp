// Builds netlink messages, one after the other, in a buffer that is sent in one go. Source: netlink(7), libmnl.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace netbatch::netlink {

// A buffer of whole messages. Every put checks the bound; after one that did not fit, `overflowed()` is true until
// `cancel()` or `clear()`, and the message is not part of the buffer. Attribute types are without NLA_F_NESTED; numbers
// are in host byte order unless the name says otherwise.
class MessageBuffer {
 public:
  // In bytes; rounded down to a multiple of 4, the alignment of messages and attributes.
  explicit MessageBuffer(size_t capacity);

  // Begins a message: nlmsghdr and `header_size` zeroed bytes of family header (ifinfomsg, ifaddrmsg, rtmsg …), which
  // it returns (null when full). NLM_F_REQUEST is added to `flags`.
  void* begin(uint16_t type, uint16_t flags, uint32_t sequence, size_t header_size);
  // Ends it: it is now part of the buffer. False (and nothing added) if it overflowed.
  bool end();
  // Drops the message begun last, unless it has been ended.
  void cancel();

  void put(uint16_t type, const void* data, size_t size) {
    std::byte* place = attribute(type, size);
    if (place != nullptr && size != 0) std::memcpy(place, data, size);
  }
  void put_u8(uint16_t type, uint8_t value) { put(type, &value, sizeof value); }
  void put_u16(uint16_t type, uint16_t value) { put(type, &value, sizeof value); }
  void put_u32(uint16_t type, uint32_t value) { put(type, &value, sizeof value); }
  void put_u64(uint16_t type, uint64_t value) { put(type, &value, sizeof value); }
  // With the terminating NUL.
  void put_string(uint16_t type, std::string_view text);
  // Opens a nested attribute (NLA_F_NESTED is added) and returns its token for end_nest.
  size_t begin_nest(uint16_t type);
  void end_nest(size_t token);
  // Raw zeroed bytes inside the current nest (the ifinfomsg of VETH_INFO_PEER); null when full.
  void* raw(size_t size);

  // Offset of the next byte from the start of the message begun last (what NLMSGERR_ATTR_OFFS counts in).
  size_t message_offset() const { return used_ - message_; }
  // Adds flags (NLM_F_ACK) to the last ended message, if there is one.
  void add_flags_to_last(uint16_t flags);

  std::span<const std::byte> bytes() const { return {buffer_.data(), ended_}; }
  size_t capacity() const { return buffer_.size(); }
  bool empty() const { return ended_ == 0; }
  bool overflowed() const { return overflowed_; }
  void clear();

 private:
  static constexpr size_t kMaxAttribute = UINT16_MAX;  // nla_len

  // Takes `size` bytes and zeroed padding; null when full. `used_` and the buffer's size are multiples of 4, so where
  // the bytes fit the padding does too.
  std::byte* grow(size_t size) {
    if (overflowed_ || size > buffer_.size() - used_) [[unlikely]] {
      overflowed_ = true;
      return nullptr;
    }
    const size_t aligned = (size + NLMSG_ALIGNTO - 1) & ~size_t{NLMSG_ALIGNTO - 1};
    std::byte* place = buffer_.data() + used_;
    used_ += aligned;
    if (aligned != size) std::memset(place + aligned - NLMSG_ALIGNTO, 0, NLMSG_ALIGNTO);
    return place;
  }
  // Takes an attribute and writes its header; returns the place of its payload, null when full.
  std::byte* attribute(uint16_t type, size_t size) {
    if (size > kMaxAttribute - sizeof(nlattr)) [[unlikely]] {
      overflowed_ = true;
      return nullptr;
    }
    std::byte* place = grow(sizeof(nlattr) + size);
    if (place == nullptr) [[unlikely]]
      return nullptr;
    const nlattr header{static_cast<uint16_t>(sizeof header + size), type};
    std::memcpy(place, &header, sizeof header);
    return place + sizeof header;
  }

  std::vector<std::byte> buffer_;
  size_t ended_ = 0;    // end of the last whole message
  size_t message_ = 0;  // start of the message begun last
  size_t last_ = 0;     // start of the last ended message
  size_t used_ = 0;
  bool overflowed_ = false;
};

}  // namespace netbatch::netlink
