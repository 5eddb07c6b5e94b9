// Whatever bytes come from a socket, decoding them reads nothing beyond them.
#include <cstdint>
#include <cstdlib>

#include "netlink/ack.hpp"

using namespace netbatch::netlink;

namespace {

// Touches every byte of the views, so that the sanitizer checks them.
unsigned read_all(std::span<const std::byte> bytes) {
  unsigned sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<unsigned>(byte);
  return sum;
}

unsigned read_attributes(std::span<const std::byte> bytes, int depth) {
  unsigned sum = 0;
  AttributeReader reader(bytes);
  Attribute attribute;
  while (reader.next(attribute)) {
    uint32_t value = 0;
    attribute.u32(value);
    sum += value + read_all(attribute.payload) + static_cast<unsigned>(attribute.text().size());
    if (depth > 0) sum += read_attributes(attribute.payload, depth - 1);
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  volatile unsigned sum = 0;
  ReplyReader reader({reinterpret_cast<const std::byte*>(data), size});
  Reply reply;
  size_t consumed = 0;
  while (reader.next(reply)) {
    Ack ack;
    if (decode_ack(reply, ack)) {
      if (ack.error < 0) std::abort();
      sum = sum + read_all(std::as_bytes(std::span(ack.message)));
    }
    sum = sum + read_attributes(reply.payload, 3);
    consumed += (16 + reply.payload.size() + 3) / 4 * 4;
  }
  if (consumed > size + 3 || (!reader.malformed() && consumed < size)) std::abort();
  return 0;
}
