#include "netlink/ack.hpp"

#include <linux/netlink.h>

#include <climits>
#include <cstring>

namespace netbatch::netlink {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t align(size_t size) { return (size + NLMSG_ALIGNTO - 1) & ~size_t{NLMSG_ALIGNTO - 1}; }

// The bytes may lie at any address, so they are copied out. False when there are too few.
template <class T>
bool load(Bytes bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

// What follows `size` bytes and their padding, which the last item may lack.
Bytes after(Bytes bytes, size_t size) { return align(size) < bytes.size() ? bytes.subspan(align(size)) : Bytes{}; }

// The attributes behind the request that an NLMSG_ERROR echoes: all of it, or with NLM_F_CAPPED its header only.
bool skip_request(const Reply& reply, Bytes& rest) {
  nlmsghdr request;
  if (!load(rest, request)) return false;
  const size_t size = (reply.flags & NLM_F_CAPPED) != 0 ? sizeof request : request.nlmsg_len;
  if (size < sizeof request || size > rest.size()) return false;
  rest = after(rest, size);
  return true;
}

void read_attributes(Bytes attributes, Ack& ack) {
  AttributeReader reader(attributes);
  Attribute attribute;
  uint32_t type = 0;
  while (reader.next(attribute)) {
    if (attribute.type == NLMSGERR_ATTR_MSG) ack.message = attribute.text();
    if (attribute.type == NLMSGERR_ATTR_OFFS) attribute.u32(ack.offset);
    if (attribute.type == NLMSGERR_ATTR_MISS_TYPE && attribute.u32(type)) ack.missing_type = type & NLA_TYPE_MASK;
  }
}

}  // namespace

bool ReplyReader::next(Reply& reply) {
  if (rest_.empty()) return false;
  nlmsghdr header;
  if (!load(rest_, header) || header.nlmsg_len < sizeof header || header.nlmsg_len > rest_.size()) {
    malformed_ = true;
    rest_ = {};
    return false;
  }
  reply.type = header.nlmsg_type;
  reply.flags = header.nlmsg_flags;
  reply.sequence = header.nlmsg_seq;
  reply.payload = rest_.subspan(sizeof header, header.nlmsg_len - sizeof header);
  rest_ = after(rest_, header.nlmsg_len);
  return true;
}

bool decode_ack(const Reply& reply, Ack& ack) {
  if (reply.type != NLMSG_ERROR && reply.type != NLMSG_DONE) return false;
  int error = 0;
  if (!load(reply.payload, error) || error > 0 || error == INT_MIN) return false;
  Bytes rest = after(reply.payload, sizeof error);
  if (reply.type == NLMSG_ERROR && !skip_request(reply, rest)) return false;
  ack = {};
  ack.sequence = reply.sequence;
  ack.error = -error;
  if ((reply.flags & NLM_F_ACK_TLVS) != 0) read_attributes(rest, ack);
  return true;
}

std::string_view text_of(Bytes payload) {
  const auto* data = reinterpret_cast<const char*>(payload.data());
  return {data, payload.empty() ? 0 : strnlen(data, payload.size())};
}

std::string_view Attribute::text() const { return text_of(payload); }

bool Attribute::u32(uint32_t& value) const { return payload.size() == sizeof value && load(payload, value); }

bool AttributeReader::next(Attribute& attribute) {
  nlattr header;
  if (!load(rest_, header) || header.nla_len < sizeof header || header.nla_len > rest_.size()) {
    rest_ = {};
    return false;
  }
  attribute.type = header.nla_type & NLA_TYPE_MASK;
  attribute.payload = rest_.subspan(sizeof header, header.nla_len - sizeof header);
  rest_ = after(rest_, header.nla_len);
  return true;
}

bool find_payload(Bytes attributes, uint16_t type, Bytes& payload) {
  AttributeReader reader(attributes);
  for (Attribute attribute; reader.next(attribute);) {
    if (attribute.type != type) continue;
    payload = attribute.payload;
    return true;
  }
  return false;
}

Bytes payload_of(Bytes attributes, uint16_t type) {
  Bytes payload;
  find_payload(attributes, type, payload);
  return payload;
}

Bytes attributes_after(Bytes message, size_t header_size) {
  const size_t header = NLMSG_ALIGN(header_size);
  return message.size() < header ? Bytes{} : message.subspan(header);
}

}  // namespace netbatch::netlink
