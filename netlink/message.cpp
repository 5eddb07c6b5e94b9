#include "netlink/message.hpp"

#include <libmnl/libmnl.h>

#include <cstring>

namespace netbatch::netlink {

MessageBuffer::MessageBuffer(size_t capacity) : buffer_(capacity & ~size_t{NLMSG_ALIGNTO - 1}) {}

void* MessageBuffer::begin(uint16_t type, uint16_t flags, uint32_t sequence, size_t header_size) {
  if (overflowed_) return nullptr;
  message_ = used_ = ended_;
  std::byte* place = grow(sizeof(nlmsghdr));
  if (place == nullptr) return nullptr;
  nlmsghdr* header = mnl_nlmsg_put_header(place);
  header->nlmsg_type = type;
  header->nlmsg_flags = flags | NLM_F_REQUEST;
  header->nlmsg_seq = sequence;
  return raw(header_size);
}

bool MessageBuffer::end() {
  if (overflowed_) {
    used_ = ended_;
    return false;
  }
  reinterpret_cast<nlmsghdr*>(buffer_.data() + message_)->nlmsg_len = static_cast<uint32_t>(used_ - message_);
  last_ = message_;
  ended_ = used_;
  return true;
}

void MessageBuffer::cancel() {
  message_ = used_ = ended_;
  overflowed_ = false;
}

void MessageBuffer::put_string(uint16_t type, std::string_view text) {
  std::byte* place = attribute(type, text.size() + 1);
  if (place == nullptr) return;
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  place[text.size()] = std::byte{0};
}

size_t MessageBuffer::begin_nest(uint16_t type) {
  const size_t token = used_;
  attribute(type | NLA_F_NESTED, 0);
  return token;
}

void MessageBuffer::end_nest(size_t token) {
  if (overflowed_) return;
  const size_t length = used_ - token;
  if (length > kMaxAttribute) {
    overflowed_ = true;
    return;
  }
  reinterpret_cast<nlattr*>(buffer_.data() + token)->nla_len = static_cast<uint16_t>(length);
}

void* MessageBuffer::raw(size_t size) {
  std::byte* place = grow(size);
  if (place != nullptr) std::memset(place, 0, size);
  return place;
}

void MessageBuffer::add_flags_to_last(uint16_t flags) {
  if (ended_ != 0) reinterpret_cast<nlmsghdr*>(buffer_.data() + last_)->nlmsg_flags |= flags;
}

void MessageBuffer::clear() {
  ended_ = last_ = 0;
  cancel();
}

}  // namespace netbatch::netlink
