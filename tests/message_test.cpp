#include "netlink/message.hpp"

#include <doctest/doctest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include <cstring>
#include <string>
#include <vector>

#include "netlink/ack.hpp"

using namespace netbatch::netlink;

namespace {

std::vector<Reply> messages_of(const MessageBuffer& buffer) {
  std::vector<Reply> list;
  ReplyReader reader(buffer.bytes());
  Reply reply;
  while (reader.next(reply)) list.push_back(reply);
  CHECK_FALSE(reader.malformed());
  return list;
}

std::vector<Attribute> attributes_of(std::span<const std::byte> bytes) {
  std::vector<Attribute> list;
  AttributeReader reader(bytes);
  Attribute attribute;
  while (reader.next(attribute)) list.push_back(attribute);
  return list;
}

// A veth pair: nests three deep, raw bytes in a nest, a text of odd size.
bool put_veth(MessageBuffer& buffer, uint32_t sequence) {
  if (void* header = buffer.begin(RTM_NEWLINK, NLM_F_CREATE, sequence, sizeof(ifinfomsg))) {
    static_cast<ifinfomsg*>(header)->ifi_flags = 1;
  }
  buffer.put_string(IFLA_IFNAME, "veth0");
  const size_t info = buffer.begin_nest(IFLA_LINKINFO);
  buffer.put_string(IFLA_INFO_KIND, "veth");
  const size_t data = buffer.begin_nest(IFLA_INFO_DATA);
  const size_t peer = buffer.begin_nest(VETH_INFO_PEER);
  if (void* header = buffer.raw(sizeof(ifinfomsg))) static_cast<ifinfomsg*>(header)->ifi_index = 7;
  buffer.put_u32(IFLA_MTU, 1400);
  buffer.end_nest(peer);
  buffer.end_nest(data);
  buffer.end_nest(info);
  buffer.put_u8(IFLA_CARRIER, 1);
  return buffer.end();
}

constexpr size_t kVethSize = 16 + 16 + (4 + 8) + 4 + (4 + 8) + 4 + 4 + 16 + 8 + 8;

}  // namespace

TEST_CASE("message: header, attributes and padding") {
  MessageBuffer buffer(1024);
  CHECK(buffer.empty());
  CHECK(buffer.begin(RTM_SETLINK, NLM_F_ACK, 5, sizeof(ifinfomsg)) != nullptr);
  CHECK(buffer.message_offset() == 32);
  buffer.put_u8(1, 0x11);
  CHECK(buffer.message_offset() == 40);
  buffer.put_u16(2, 0x2222);
  buffer.put_u32(3, 0x33333333);
  buffer.put_u64(4, 0x4444444444444444);
  buffer.put_string(5, "abcd");
  buffer.put_string(6, "");
  buffer.put(7, nullptr, 0);
  CHECK(buffer.empty());
  CHECK(buffer.bytes().empty());
  REQUIRE(buffer.end());

  const auto messages = messages_of(buffer);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].type == RTM_SETLINK);
  CHECK(messages[0].flags == (NLM_F_ACK | NLM_F_REQUEST));
  CHECK(messages[0].sequence == 5);
  const auto attributes = attributes_of(messages[0].payload.subspan(sizeof(ifinfomsg)));
  REQUIRE(attributes.size() == 7);
  const std::vector<size_t> sizes{1, 2, 4, 8, 5, 1, 0};
  for (size_t i = 0; i < sizes.size(); ++i) {
    CHECK(attributes[i].type == i + 1);
    CHECK(attributes[i].payload.size() == sizes[i]);
  }
  CHECK(attributes[0].payload[0] == std::byte{0x11});
  CHECK(attributes[4].text() == "abcd");
  CHECK(attributes[4].payload[4] == std::byte{0});
}

TEST_CASE("message: padding and headers are zeroed where other bytes have been before") {
  MessageBuffer buffer(64);
  const std::string junk(44, '\xff');
  buffer.begin(1, 0, 1, 0);
  buffer.put(1, junk.data(), junk.size());
  REQUIRE(buffer.end());
  buffer.clear();
  buffer.begin(1, 0, 1, 13);
  buffer.put_u8(1, 0xff);
  buffer.raw(5);
  REQUIRE(buffer.end());
  REQUIRE(buffer.bytes().size() == 16 + 16 + 8 + 8);
  for (size_t i = 12; i < buffer.bytes().size(); ++i) {
    CAPTURE(i);
    const uint8_t expected = i == 32 ? 5 : i == 34 ? 1 : i == 36 ? 0xff : 0;
    CHECK(std::to_integer<uint8_t>(buffer.bytes()[i]) == expected);
  }
}

TEST_CASE("message: nests hold what was put between, with NLA_F_NESTED") {
  MessageBuffer buffer(1024);
  REQUIRE(put_veth(buffer, 1));
  REQUIRE(buffer.bytes().size() == kVethSize);
  const auto messages = messages_of(buffer);
  const auto top = attributes_of(messages.at(0).payload.subspan(sizeof(ifinfomsg)));
  REQUIRE(top.size() == 3);
  CHECK(top[0].text() == "veth0");
  CHECK(top[1].type == IFLA_LINKINFO);
  uint16_t type = 0;
  std::memcpy(&type, top[1].payload.data() - 2, sizeof type);
  CHECK(type == (IFLA_LINKINFO | NLA_F_NESTED));
  const auto info = attributes_of(top[1].payload);
  REQUIRE(info.size() == 2);
  CHECK(info[0].text() == "veth");
  const auto data = attributes_of(info[1].payload);
  REQUIRE(data.size() == 1);
  CHECK(data[0].type == VETH_INFO_PEER);
  ifinfomsg peer;
  std::memcpy(&peer, data[0].payload.data(), sizeof peer);
  CHECK(peer.ifi_index == 7);
  const auto inner = attributes_of(data[0].payload.subspan(sizeof peer));
  REQUIRE(inner.size() == 1);
  uint32_t mtu = 0;
  CHECK(inner[0].u32(mtu));
  CHECK(mtu == 1400);
  CHECK(top[2].type == IFLA_CARRIER);
}

TEST_CASE("message: at every capacity, all of a message or nothing of it") {
  for (size_t capacity = 0; capacity < 3 * kVethSize; ++capacity) {
    CAPTURE(capacity);
    MessageBuffer buffer(capacity);
    CHECK(buffer.capacity() == capacity / 4 * 4);
    for (size_t i = 0; i < 3; ++i) {
      const bool fits = (i + 1) * kVethSize <= capacity;
      CHECK(put_veth(buffer, static_cast<uint32_t>(i)) == fits);
      CHECK(buffer.overflowed() == !fits);
      if (!fits) buffer.cancel();
      CHECK_FALSE(buffer.overflowed());
    }
    const auto messages = messages_of(buffer);
    CHECK(messages.size() == capacity / kVethSize);
    for (size_t i = 0; i < messages.size(); ++i) CHECK(messages[i].sequence == i);
  }
}

TEST_CASE("message: after an overflow a smaller message still fits") {
  MessageBuffer buffer(kVethSize + 24);
  REQUIRE(put_veth(buffer, 1));
  CHECK_FALSE(put_veth(buffer, 2));
  CHECK(buffer.begin(RTM_DELLINK, 0, 3, 0) == nullptr);  // not before cancel
  CHECK_FALSE(buffer.end());
  buffer.cancel();
  CHECK(buffer.begin(RTM_DELLINK, 0, 3, 0) != nullptr);
  buffer.put_u32(1, 2);
  CHECK(buffer.end());
  CHECK(messages_of(buffer).size() == 2);
}

TEST_CASE("message: cancel drops what was begun, not what was ended") {
  MessageBuffer buffer(1024);
  REQUIRE(put_veth(buffer, 1));
  buffer.begin(RTM_DELLINK, 0, 2, sizeof(ifinfomsg));
  buffer.put_string(IFLA_IFNAME, "gone");
  buffer.cancel();
  buffer.cancel();
  REQUIRE(put_veth(buffer, 3));
  buffer.begin(RTM_DELLINK, 0, 4, sizeof(ifinfomsg));  // begun again without an end: replaced
  REQUIRE(put_veth(buffer, 5));
  const auto messages = messages_of(buffer);
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].sequence == 1);
  CHECK(messages[1].sequence == 3);
  CHECK(messages[2].sequence == 5);
}

TEST_CASE("message: sizes that no attribute and no buffer can have") {
  MessageBuffer buffer(1 << 20);
  const std::string big(UINT16_MAX, 'x');
  for (const auto& put : std::vector<void (*)(MessageBuffer&, const std::string&)>{
           [](MessageBuffer&b, const std::string&text) { b.put(1, text.data(), UINT16_MAX - 3); },
           [](MessageBuffer&b, const std::string&text) {
             b.put_string(1, {text.data(), UINT16_MAX - 4});
           },
           [](MessageBuffer&b, const std::string&) { b.put(1, nullptr, SIZE_MAX); },
           [](MessageBuffer&b, const std::string&) { b.raw(SIZE_MAX); },
           [](MessageBuffer&b, const std::string&) { b.raw(SIZE_MAX - 2); },
           [](MessageBuffer&b, const std::string&text) {
             const size_t nest = b.begin_nest(1);
             b.put(1, text.data(), 40'000);
             b.put(1, text.data(), 40'000);
             b.end_nest(nest);
           }}) {
    buffer.begin(1, 0, 1, 0);
    put(buffer, big);
    CHECK(buffer.overflowed());
    CHECK_FALSE(buffer.end());
    buffer.cancel();
  }
  CHECK(buffer.begin(1, 0, 1, SIZE_MAX) == nullptr);
  buffer.cancel();
  buffer.begin(1, 0, 1, 0);
  buffer.put(1, big.data(), UINT16_MAX - 4);
  CHECK(buffer.end());
}

TEST_CASE("message: flags on the last ended message only") {
  MessageBuffer buffer(1024);
  buffer.add_flags_to_last(NLM_F_ACK);  // there is none
  put_veth(buffer, 1);
  put_veth(buffer, 2);
  buffer.begin(RTM_DELLINK, 0, 3, 0);
  buffer.add_flags_to_last(NLM_F_ACK);
  buffer.cancel();
  const auto messages = messages_of(buffer);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].flags == (NLM_F_CREATE | NLM_F_REQUEST));
  CHECK(messages[1].flags == (NLM_F_CREATE | NLM_F_REQUEST | NLM_F_ACK));
}

TEST_CASE("message: clear starts over, also after an overflow") {
  MessageBuffer buffer(kVethSize);
  put_veth(buffer, 1);
  put_veth(buffer, 2);
  CHECK(buffer.overflowed());
  buffer.clear();
  CHECK(buffer.empty());
  CHECK_FALSE(buffer.overflowed());
  CHECK(put_veth(buffer, 3));
  CHECK(messages_of(buffer).at(0).sequence == 3);
}
