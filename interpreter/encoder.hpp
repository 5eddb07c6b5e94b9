// The parts that messages of all objects are made of.
#pragma once

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "interpreter/encode.hpp"

namespace netbatch {

class Encoder {
 public:
  Encoder(const Operation& op, const Operations& operations, Resolver& resolver, const EncodeOptions& options,
          netlink::MessageBuffer& buffer)
      : operation(op), operations_(operations), resolver_(resolver), options_(options), buffer_(buffer) {}

  const Operation& operation;
  std::span<const Attr> attrs() const { return operations_.of(operation.attrs); }
  std::span<const Attr> peer_attrs() const { return operations_.of(operation.peer_attrs); }

  // Begins the message; after a failure all else does nothing.
  void begin(uint16_t type, uint16_t flags, size_t header_size);
  EncodeError finish();
  bool failed() const { return bool(error_); }
  void fail(const EncodeError& error) {
    if (!error_) error_ = error;
  }
  // The family header begun with; null after a failure.
  template <class Header>
  Header* header() const {
    return static_cast<Header*>(header_);
  }

  // The index of a link; 0 and a failure when there is none.
  int link(std::string_view name, Span span);
  void put(const Attr& attr);
  void put_all(std::span<const Attr> attrs, Place place);
  static bool any(std::span<const Attr> attrs, Place place);
  void mark(size_t begin, Span span);
  netlink::MessageBuffer& buffer() { return buffer_; }

 private:
  void put_number(uint16_t attribute, const Value& value);
  void put_netns(const Attr& attr);

  const Operations& operations_;
  Resolver& resolver_;
  const EncodeOptions& options_;
  netlink::MessageBuffer& buffer_;
  void* header_ = nullptr;
  EncodeError error_;
  size_t first_mark_ = options_.marks != nullptr ? options_.marks->size() : 0;
};

// How rtnetlink says a verb, for addresses, routes and neighbours.
struct VerbRequest {
  uint16_t type;
  uint16_t flags;
};
VerbRequest verb_request(Verb verb, uint16_t new_type, uint16_t delete_type);

void encode_link(Encoder& encoder);
void encode_addr(Encoder& encoder);
void encode_route(Encoder& encoder);
void encode_neigh(Encoder& encoder);

}  // namespace netbatch
