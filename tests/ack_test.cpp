#include "netlink/ack.hpp"

#include <doctest/doctest.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace netbatch::netlink;

namespace {

// Bytes as the kernel lays them out on this machine.
class Bytes {
 public:
  template <class T>
  Bytes& add(T value) {
    const auto* data = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), data, data + sizeof value);
    return *this;
  }
  Bytes& add(const std::string& text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  Bytes& add(const Bytes& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  Bytes& pad() {
    while (bytes_.size() % 4 != 0) bytes_.push_back(std::byte{0});
    return *this;
  }
  Bytes& attribute(uint16_t type, const std::string& payload) {
    return add<uint16_t>(static_cast<uint16_t>(4 + payload.size())).add(type).add(payload).pad();
  }
  Bytes& attribute(uint16_t type, uint32_t value) { return add<uint16_t>(8).add(type).add(value); }
  size_t size() const { return bytes_.size(); }
  const std::byte* data() const { return bytes_.data(); }
  std::vector<std::byte>& raw() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Bytes message(uint16_t type, uint16_t flags, uint32_t sequence, const Bytes& payload) {
  const nlmsghdr header{static_cast<uint32_t>(sizeof(nlmsghdr) + payload.size()), type, flags, sequence, 77};
  return Bytes().add(header).add(payload).pad();
}

// An echoed request with its payload, or (capped) its header only.
Bytes request(uint32_t sequence, const std::string& payload, bool capped) {
  const nlmsghdr header{static_cast<uint32_t>(sizeof(nlmsghdr) + payload.size()), RTM_NEWLINK, 0, sequence, 0};
  return capped ? Bytes().add(header) : Bytes().add(header).add(payload).pad();
}

Bytes plain_ack(uint32_t sequence) {
  return message(NLMSG_ERROR, NLM_F_CAPPED, sequence, Bytes().add<int>(0).add(request(sequence, "", true)));
}

Bytes full_attributes() {
  return Bytes()
      .attribute(NLMSGERR_ATTR_MSG, std::string("mtu less than device minimum\0", 29))
      .attribute(NLMSGERR_ATTR_OFFS, 36)
      .attribute(NLMSGERR_ATTR_MISS_TYPE, 4);
}

Bytes full_error(bool capped) {
  const uint16_t flags = NLM_F_ACK_TLVS | (capped ? NLM_F_CAPPED : 0);
  const Bytes echoed = request(9, "request-payload-of-odd-size", capped);
  return message(NLMSG_ERROR, flags, 9, Bytes().add<int>(-EINVAL).add(echoed).add(full_attributes()));
}

// The datagram in a heap block of exactly its size, `shift` bytes off alignment, so that a sanitizer sees every byte
// read beyond it and every misaligned access.
class Datagram {
 public:
  explicit Datagram(const Bytes& bytes, size_t size = SIZE_MAX, size_t shift = 0)
      : size_(std::min(size, bytes.size())), shift_(shift), block_(new std::byte[shift + size_]) {
    if (size_ != 0) std::memcpy(block_.get() + shift, bytes.data(), size_);
  }
  std::span<const std::byte> span() const { return {block_.get() + shift_, size_}; }

 private:
  size_t size_;
  size_t shift_;
  std::unique_ptr<std::byte[]> block_;
};

struct Decoded {
  std::vector<Ack> acks;
  std::vector<std::string> messages;
  int others = 0;
  bool malformed = false;
};

Decoded decode(std::span<const std::byte> datagram) {
  Decoded result;
  ReplyReader reader(datagram);
  Reply reply;
  while (reader.next(reply)) {
    Ack ack;
    if (!decode_ack(reply, ack)) {
      ++result.others;
      continue;
    }
    result.acks.push_back(ack);
    result.messages.emplace_back(ack.message);
  }
  CHECK_FALSE(reader.next(reply));
  result.malformed = reader.malformed();
  return result;
}

Decoded decode(const Bytes& bytes) { return decode(Datagram(bytes).span()); }

// The only ACK of the bytes.
Ack decode_one(const Bytes& bytes) {
  const Decoded decoded = decode(bytes);
  REQUIRE(decoded.acks.size() == 1);
  CHECK_FALSE(decoded.malformed);
  Ack ack = decoded.acks[0];
  ack.message = {};  // it pointed into a datagram that is gone
  return ack;
}

}  // namespace

TEST_CASE("ack: success") {
  const Ack ack = decode_one(plain_ack(42));
  CHECK(ack.sequence == 42);
  CHECK(ack.error == 0);
  CHECK(ack.offset == 0);
  CHECK(ack.missing_type == 0);
}

TEST_CASE("ack: success with a warning") {
  const Bytes payload = Bytes().add<int>(0).add(request(1, "", true)).attribute(NLMSGERR_ATTR_MSG, "careful");
  const Decoded decoded = decode(message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, 1, payload));
  REQUIRE(decoded.acks.size() == 1);
  CHECK(decoded.acks[0].error == 0);
  CHECK(decoded.messages[0] == "careful");
}

TEST_CASE("ack: error with the request echoed, no attributes") {
  for (const bool capped : {false, true}) {
    const Bytes payload = Bytes().add<int>(-EEXIST).add(request(7, "some request", capped));
    const Ack ack = decode_one(message(NLMSG_ERROR, capped ? NLM_F_CAPPED : 0, 7, payload));
    CHECK(ack.sequence == 7);
    CHECK(ack.error == EEXIST);
  }
}

TEST_CASE("ack: error with text, offset and missing type, behind a capped or a full request") {
  for (const bool capped : {false, true}) {
    for (size_t shift = 0; shift < 8; ++shift) {
      CAPTURE(capped);
      CAPTURE(shift);
      const Decoded decoded = decode(Datagram(full_error(capped), SIZE_MAX, shift).span());
      REQUIRE(decoded.acks.size() == 1);
      CHECK(decoded.acks[0].error == EINVAL);
      CHECK(decoded.acks[0].sequence == 9);
      CHECK(decoded.acks[0].offset == 36);
      CHECK(decoded.acks[0].missing_type == 4);
      CHECK(decoded.messages[0] == "mtu less than device minimum");
      CHECK_FALSE(decoded.malformed);
    }
  }
}

TEST_CASE("ack: attributes are read only where the flags say that there are any") {
  const Bytes payload = Bytes().add<int>(-EINVAL).add(request(9, "", true)).add(full_attributes());
  const Ack ack = decode_one(message(NLMSG_ERROR, NLM_F_CAPPED, 9, payload));
  CHECK(ack.error == EINVAL);
  CHECK(ack.offset == 0);
}

TEST_CASE("ack: a datagram cut at any length is malformed, and never read beyond") {
  for (const bool capped : {false, true}) {
    const Bytes whole = full_error(capped);
    for (size_t size = 1; size < whole.size(); ++size) {
      CAPTURE(size);
      const Decoded decoded = decode(Datagram(whole, size).span());
      CHECK(decoded.acks.empty());
      CHECK(decoded.malformed);
    }
  }
  CHECK_FALSE(decode(Bytes()).malformed);
}

TEST_CASE("ack: a message whose own length is cut: the error is kept as long as the request fits") {
  for (const bool capped : {false, true}) {
    const Bytes whole = full_error(capped);
    const size_t request_end = 16 + 4 + request(9, "request-payload-of-odd-size", capped).size();
    for (uint32_t size = 16; size < whole.size(); ++size) {
      CAPTURE(size);
      Bytes cut = whole;
      std::memcpy(cut.raw().data(), &size, sizeof size);
      const Decoded decoded = decode(Datagram(cut, size).span());
      CHECK_FALSE(decoded.malformed);
      // The padding of the request may be missing.
      CHECK(decoded.acks.size() == (size >= request_end - (capped ? 0 : 1) ? 1 : 0));
      if (decoded.acks.size() == 1) CHECK(decoded.acks[0].error == EINVAL);
    }
  }
}

TEST_CASE("ack: lengths that lie") {
  for (const uint32_t length : {0u, 1u, 15u, 37u, 0x7fffffffu, 0x80000000u, 0xfffffffdu, 0xffffffffu}) {
    CAPTURE(length);
    Bytes bytes = plain_ack(1);
    std::memcpy(bytes.raw().data(), &length, sizeof length);
    const Decoded decoded = decode(bytes);
    CHECK(decoded.acks.empty());
    CHECK(decoded.malformed);
  }
  for (const uint32_t length : {0u, 15u, 1000u, 0xfffffffdu, 0xffffffffu}) {  // of the echoed request
    CAPTURE(length);
    Bytes bytes = full_error(false);
    std::memcpy(bytes.raw().data() + 20, &length, sizeof length);
    CHECK(decode(bytes).acks.empty());
    bytes = full_error(true);  // not used when capped
    std::memcpy(bytes.raw().data() + 20, &length, sizeof length);
    CHECK(decode(bytes).acks.size() == 1);
  }
}

TEST_CASE("ack: error numbers that are none") {
  for (const int error : {1, INT_MAX, INT_MIN}) {
    const Bytes payload = Bytes().add(error).add(request(1, "", true));
    CHECK(decode(message(NLMSG_ERROR, NLM_F_CAPPED, 1, payload)).others == 1);
  }
}

TEST_CASE("ack: attributes with bad lengths are not read, those before them are") {
  for (const uint16_t length : {0, 3, 9, 0xffff}) {
    CAPTURE(length);
    const Bytes attributes =
        Bytes().attribute(NLMSGERR_ATTR_OFFS, 20).add(length).add<uint16_t>(NLMSGERR_ATTR_MSG).add(std::string("text"));
    const Bytes payload = Bytes().add<int>(-EINVAL).add(request(1, "", true)).add(attributes);
    const Decoded decoded = decode(message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, 1, payload));
    REQUIRE(decoded.acks.size() == 1);
    CHECK(decoded.acks[0].offset == 20);
    CHECK(decoded.messages[0] == "");
  }
}

TEST_CASE("ack: attributes of the wrong size, and unknown ones, are passed over") {
  const Bytes attributes = Bytes()
                               .attribute(NLMSGERR_ATTR_OFFS, std::string("abc"))
                               .attribute(NLMSGERR_ATTR_MISS_TYPE, std::string("12345678"))
                               .attribute(NLMSGERR_ATTR_COOKIE, 1)
                               .attribute(999, std::string())
                               .attribute(NLMSGERR_ATTR_MSG, std::string("no NUL"));
  const Bytes payload = Bytes().add<int>(-EINVAL).add(request(1, "", true)).add(attributes);
  const Decoded decoded = decode(message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, 1, payload));
  REQUIRE(decoded.acks.size() == 1);
  CHECK(decoded.acks[0].offset == 0);
  CHECK(decoded.acks[0].missing_type == 0);
  CHECK(decoded.messages[0] == "no NUL");
}

TEST_CASE("ack: several messages in one datagram") {
  const Bytes link = message(RTM_NEWLINK, NLM_F_MULTI, 2, Bytes().add(std::string("ifinfomsg, odd")));
  const Bytes all = Bytes().add(plain_ack(1)).add(link).add(full_error(true)).add(plain_ack(3));
  const Decoded decoded = decode(all);
  REQUIRE(decoded.acks.size() == 3);
  CHECK(decoded.acks[0].sequence == 1);
  CHECK(decoded.acks[1].error == EINVAL);
  CHECK(decoded.acks[2].sequence == 3);
  CHECK(decoded.others == 1);
  CHECK_FALSE(decoded.malformed);
}

TEST_CASE("ack: what came before a malformed message counts") {
  Bytes bytes = Bytes().add(plain_ack(1)).add(plain_ack(2));
  for (size_t tail = 1; tail < 36; ++tail) {
    const Decoded decoded = decode(Datagram(bytes, 36 + tail).span());
    CHECK(decoded.acks.size() == 1);
    CHECK(decoded.malformed);
  }
}

TEST_CASE("ack: the last message may lack its padding") {
  const Bytes odd = message(RTM_NEWLINK, 0, 5, Bytes().add(std::string("odd")));
  const Decoded decoded = decode(Datagram(odd, odd.size() - 1).span());
  CHECK(decoded.others == 1);
  CHECK_FALSE(decoded.malformed);
}

TEST_CASE("ack: the end of a dump") {
  CHECK(decode_one(message(NLMSG_DONE, NLM_F_MULTI, 3, Bytes().add<int>(0))).error == 0);
  CHECK(decode_one(message(NLMSG_DONE, NLM_F_MULTI, 3, Bytes().add<int>(-EINTR))).error == EINTR);
  const Bytes payload = Bytes().add<int>(-EINVAL).attribute(NLMSGERR_ATTR_MSG, "bad filter");
  const Decoded decoded = decode(message(NLMSG_DONE, NLM_F_MULTI | NLM_F_ACK_TLVS, 3, payload));
  REQUIRE(decoded.acks.size() == 1);
  CHECK(decoded.acks[0].error == EINVAL);
  CHECK(decoded.messages[0] == "bad filter");
  CHECK(decode(message(NLMSG_DONE, NLM_F_MULTI, 3, Bytes())).others == 1);
}

TEST_CASE("ack: other replies are handed out as they are") {
  const Bytes bytes = message(RTM_NEWLINK, NLM_F_MULTI, 8, Bytes().add(std::string("12345")));
  const Datagram datagram(bytes);
  ReplyReader reader(datagram.span());
  Reply reply;
  REQUIRE(reader.next(reply));
  CHECK(reply.type == RTM_NEWLINK);
  CHECK(reply.flags == NLM_F_MULTI);
  CHECK(reply.sequence == 8);
  CHECK(reply.payload.size() == 5);
  Ack ack;
  CHECK_FALSE(decode_ack(reply, ack));
}

TEST_CASE("attributes: types without flags, texts up to the NUL, numbers of 4 bytes") {
  const Bytes bytes = Bytes()
                          .attribute(IFLA_LINKINFO | NLA_F_NESTED, std::string("kind\0rest", 9))
                          .attribute(2 | NLA_F_NET_BYTEORDER, 0x01020304)
                          .attribute(3, std::string());
  const Datagram datagram(bytes, SIZE_MAX, 1);
  AttributeReader reader(datagram.span());
  Attribute attribute;
  uint32_t value = 5;
  REQUIRE(reader.next(attribute));
  CHECK(attribute.type == IFLA_LINKINFO);
  CHECK(attribute.text() == "kind");
  CHECK_FALSE(attribute.u32(value));
  CHECK(value == 5);
  REQUIRE(reader.next(attribute));
  CHECK(attribute.type == 2);
  CHECK(attribute.u32(value));
  CHECK(value == 0x01020304);
  REQUIRE(reader.next(attribute));
  CHECK(attribute.payload.empty());
  CHECK(attribute.text() == "");
  CHECK_FALSE(reader.next(attribute));
}
