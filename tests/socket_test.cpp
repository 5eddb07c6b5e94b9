#include "netlink/socket.hpp"

#include <doctest/doctest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "netlink/ack.hpp"
#include "netlink/message.hpp"
#include "tests/support/sandbox.hpp"

using namespace netbatch::netlink;
using netbatch::test::in_sandbox;

namespace {

Socket open_socket(int receive_buffer = 0) {
  auto socket = Socket::open(receive_buffer);
  REQUIRE(socket);
  return std::move(*socket);
}

void put_delete(MessageBuffer& buffer, uint32_t sequence) {
  buffer.begin(RTM_DELLINK, 0, sequence, sizeof(ifinfomsg));
  buffer.put_string(IFLA_IFNAME, "nobody");
  REQUIRE(buffer.end());
}

// Receives until nothing is left; the error of the last attempt.
int drain(Socket& socket, std::vector<Ack>& acks) {
  std::array<std::byte, 32 * 1024> datagram;
  while (true) {
    auto size = socket.receive(datagram, 0);
    if (!size) return size.error();
    ReplyReader reader{std::span(datagram).first(*size)};
    Reply reply;
    Ack ack;
    while (reader.next(reply)) {
      if (decode_ack(reply, ack)) acks.push_back(ack);
    }
  }
}

}  // namespace

TEST_CASE("socket: many requests in one send, each failure answered by its sequence number") {
  in_sandbox({}, [] {
    Socket socket = open_socket();
    MessageBuffer buffer(64 * 1024);
    for (uint32_t sequence = 1; sequence <= 100; ++sequence) put_delete(buffer, sequence);
    CHECK(socket.send(buffer.bytes()) == 0);
    std::vector<Ack> acks;
    CHECK(drain(socket, acks) == ETIMEDOUT);
    REQUIRE(acks.size() == 100);
    for (uint32_t i = 0; i < 100; ++i) {
      CHECK(acks[i].sequence == i + 1);
      CHECK(acks[i].error == ENODEV);
    }
  });
}

TEST_CASE("socket: the kernel's sentence and the offset of the attribute at fault") {
  in_sandbox({}, [] {
    Socket socket = open_socket();
    MessageBuffer buffer(1024);
    buffer.begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 1, sizeof(ifinfomsg));
    buffer.put_string(IFLA_IFNAME, "x");
    const size_t offset = buffer.message_offset();
    buffer.put_u8(IFLA_MTU, 1);  // must have 4 bytes
    REQUIRE(buffer.end());
    CHECK(socket.send(buffer.bytes()) == 0);
    std::array<std::byte, 4096> datagram;
    auto size = socket.receive(datagram, 1000);
    REQUIRE(size);
    Reply reply;
    Ack ack;
    REQUIRE(ReplyReader(std::span(datagram).first(*size)).next(reply));
    REQUIRE(decode_ack(reply, ack));
    CHECK(ack.error == ERANGE);
    CHECK(ack.message == "Attribute failed policy validation");
    CHECK(ack.offset == offset);
    CHECK((reply.flags & NLM_F_CAPPED) != 0);
  });
}

TEST_CASE("socket: receive ends with the time-out, a buffer that is too small, or replies that were dropped") {
  in_sandbox({}, [] {
    Socket socket = open_socket();
    std::array<std::byte, 8> small;
    const auto start = std::chrono::steady_clock::now();
    CHECK(socket.receive(small, 50).error() == ETIMEDOUT);
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(50));
    MessageBuffer buffer(128 * 1024);
    put_delete(buffer, 1);
    CHECK(socket.send(buffer.bytes()) == 0);
    CHECK(socket.receive(small, 0).error() == EMSGSIZE);
    for (uint32_t sequence = 2; sequence <= 2000; ++sequence) put_delete(buffer, sequence);
    CHECK(socket.send(buffer.bytes()) == 0);
    std::vector<Ack> acks;
    CHECK(drain(socket, acks) == ENOBUFS);
  });
}

TEST_CASE("socket: the limits that it tells are the kernel's") {
  in_sandbox({}, [] {
    Socket plain = open_socket();
    Socket large = open_socket(1'000'000);
    CHECK(large.receive_buffer() > plain.receive_buffer());
    CHECK(large.send_limit() > plain.send_limit());
    for (Socket* socket : {&plain, &large}) {
      // NLMSG_NOOP: one message that the kernel passes over.
      std::vector<std::byte> bytes(socket->send_limit() + 1);
      const nlmsghdr header{static_cast<uint32_t>(socket->send_limit()), NLMSG_NOOP, 0, 1, 0};
      std::memcpy(bytes.data(), &header, sizeof header);
      CHECK(socket->send(std::span(bytes).first(socket->send_limit())) == 0);
      CHECK(socket->send(bytes) == EMSGSIZE);
    }
  });
}

TEST_CASE("socket: what another process sends is no reply") {
  in_sandbox({}, [] {
    Socket socket = open_socket();
    Socket other = open_socket();
    sockaddr_nl address{};
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const std::array<char, 16> forged{16};
    REQUIRE(::sendto(other.fd(), forged.data(), forged.size(), 0, reinterpret_cast<sockaddr*>(&address), size) == 16);
    std::array<std::byte, 4096> datagram;
    CHECK(socket.receive(datagram, 20).error() == ETIMEDOUT);
  });
}
