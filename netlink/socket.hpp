// A rtnetlink socket in one network namespace. Source: netlink(7), rtnetlink(7), net/netlink/af_netlink.c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "netlink/descriptor.hpp"
#include "netlink/result.hpp"

namespace netbatch::netlink {

class Socket {
 public:
  Socket() = default;

  // Opens and binds a NETLINK_ROUTE socket in the calling thread's network namespace, with NETLINK_EXT_ACK,
  // NETLINK_CAP_ACK and NETLINK_GET_STRICT_CHK on (refusal by an old kernel is ignored) and NETLINK_NO_ENOBUFS never.
  // A `receive_buffer` > 0 asks for that many bytes (SO_RCVBUFFORCE, else SO_RCVBUF), and the same for sending. The
  // kernel doubles what it grants.
  static Result<Socket> open(int receive_buffer = 0);

  // Sends the bytes, one or many whole messages, in one call. The kernel executes all of them before it returns.
  // Returns 0 or errno; EMSGSIZE when there are more than `send_limit()` bytes. EINTR is retried.
  int send(std::span<const std::byte> messages);

  // Receives one datagram of the kernel's (which may hold many messages). Never blocks for longer than `timeout_ms`;
  // ETIMEDOUT then, ENOBUFS when the kernel dropped replies, EMSGSIZE when the buffer was too small. EINTR is retried.
  Result<size_t> receive(std::span<std::byte> buffer, int timeout_ms);

  // How many bytes of replies the kernel queues, as its accounting counts (SO_RCVBUF as read back).
  int receive_buffer() const { return receive_buffer_; }
  // How many bytes one `send` takes, from SO_SNDBUF (212,960 where nothing was asked for).
  size_t send_limit() const { return send_limit_; }

  // The index of the link with this name (or alternative name, where it has at most 15 bytes) in the socket's
  // namespace: ioctl SIOCGIFINDEX, about 1 µs, no RTNL. ENODEV if there is none; then, as real root, the kernel may
  // have tried to load a module of that name, which takes milliseconds. ENAMETOOLONG beyond 15 bytes.
  Result<int> index_by_ioctl(std::string_view name);

  int fd() const { return fd_.get(); }
  explicit operator bool() const { return bool(fd_); }

 private:
  Descriptor fd_;
  int receive_buffer_ = 0;
  size_t send_limit_ = 0;
};

}  // namespace netbatch::netlink
