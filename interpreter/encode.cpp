#include "interpreter/encode.hpp"

#include "interpreter/encoder.hpp"

namespace netbatch {

EncodeError encode(const Operation& operation, const Operations& operations, Resolver& resolver,
                   const EncodeOptions& options, netlink::MessageBuffer& buffer) {
  Encoder encoder(operation, operations, resolver, options, buffer);
  switch (operation.object) {
    case Object::Link:
      encode_link(encoder);
      break;
    case Object::Addr:
      encode_addr(encoder);
      break;
    case Object::Route:
      encode_route(encoder);
      break;
    case Object::Neigh:
      encode_neigh(encoder);
      break;
    case Object::Netns:
      return {};
  }
  return encoder.finish();
}

void Encoder::begin(uint16_t type, uint16_t flags, size_t header_size) {
  header_ = buffer_.begin(type, flags, options_.sequence, header_size);
  if (header_ == nullptr) fail({EncodeError::What::TooLong, EMSGSIZE, operation.span, {}, operation.ns});
}

EncodeError Encoder::finish() {
  if (!error_ && !buffer_.end()) fail({EncodeError::What::TooLong, EMSGSIZE, operation.span, {}, operation.ns});
  if (error_) {
    buffer_.cancel();
    if (options_.marks != nullptr) options_.marks->resize(first_mark_);
  }
  return error_;
}

int Encoder::link(std::string_view name, Span span) {
  const netlink::Result<int> index = resolver_.link(operation.ns, name);
  if (index) return *index;
  fail({EncodeError::What::NoLink, index.error(), span, name, operation.ns});
  return 0;
}

void Encoder::mark(size_t begin, Span span) {
  if (options_.marks != nullptr && !error_) options_.marks->push_back({begin, buffer_.message_offset(), span});
}

void Encoder::put(const Attr& attr) {
  if (error_) return;
  const Row& row = *attr.row;
  const Value& value = attr.value;
  const size_t begin = buffer_.message_offset();
  if (row.type == ValueType::Netns) {
    put_netns(attr);
  } else if (row.type == ValueType::Link) {
    buffer_.put_u32(row.attribute, static_cast<uint32_t>(link(value.text(), attr.span)));
  } else if (row.type == ValueType::TextNul) {
    buffer_.put_string(row.attribute, value.text());
  } else if (value.is_data) {
    const bool ip6 = row.type == ValueType::Ip && value.family == AF_INET6;
    buffer_.put(ip6 ? row.attribute6 : row.attribute, value.data, value.size);
  } else {
    put_number(row.attribute, value);
  }
  mark(begin, attr.span);
}

void Encoder::put_number(uint16_t attribute, const Value& value) {
  switch (value.size) {
    case 0:
      return buffer_.put(attribute, nullptr, 0);
    case 1:
      return buffer_.put_u8(attribute, static_cast<uint8_t>(value.number));
    case 2:
      return buffer_.put_u16(attribute, static_cast<uint16_t>(value.number));
    case 4:
      return buffer_.put_u32(attribute, static_cast<uint32_t>(value.number));
    default:
      return buffer_.put(attribute, &value.number, value.size);
  }
}

void put_netns(netlink::MessageBuffer& buffer, int netns, int pid) {
  buffer.put_u32(pid != 0 ? IFLA_NET_NS_PID : IFLA_NET_NS_FD, static_cast<uint32_t>(pid != 0 ? pid : netns));
}

void Encoder::put_netns(const Attr& attr) {
  const auto ns = static_cast<NsId>(attr.value.number);
  int pid = 0;
  const netlink::Result<int> fd = resolver_.netns(ns, &pid);
  if (!fd) return fail({EncodeError::What::NoNetns, fd.error(), attr.span, {}, ns});
  netbatch::put_netns(buffer_, *fd, pid);
}

void Encoder::put_all(std::span<const Attr> attrs, Place place) {
  for (const Attr& attr : attrs) {
    if (attr.row->place == place) put(attr);
  }
}

bool Encoder::any(std::span<const Attr> attrs, Place place) {
  for (const Attr& attr : attrs) {
    if (attr.row->place == place) return true;
  }
  return false;
}

VerbRequest verb_request(Verb verb, uint16_t new_type, uint16_t delete_type) {
  switch (verb) {
    case Verb::Add:
      return {new_type, NLM_F_CREATE | NLM_F_EXCL};
    case Verb::Replace:
      return {new_type, NLM_F_CREATE | NLM_F_REPLACE};
    case Verb::Append:
      return {new_type, NLM_F_CREATE | NLM_F_APPEND};
    case Verb::Prepend:
      return {new_type, NLM_F_CREATE};
    case Verb::Delete:
      return {delete_type, 0};
    default:
      return {new_type, NLM_F_REPLACE};
  }
}

}  // namespace netbatch
