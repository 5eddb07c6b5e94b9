#include "netlink/socket.hpp"

#include <linux/netlink.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace netbatch::netlink {
namespace {

// What the kernel takes off SO_SNDBUF before it compares: netlink_sendmsg().
constexpr int kSendOverhead = 32;

int get_option(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

void ask_for_buffer(int fd, int forced, int option, int size) {
  if (::setsockopt(fd, SOL_SOCKET, forced, &size, sizeof size) != 0) {
    ::setsockopt(fd, SOL_SOCKET, option, &size, sizeof size);
  }
}

// One datagram that is already queued; EAGAIN when there is none.
Result<size_t> receive_queued(int fd, std::span<std::byte> buffer, sockaddr_nl& sender) {
  iovec part{buffer.data(), buffer.size()};
  msghdr message{};
  message.msg_name = &sender;
  message.msg_namelen = sizeof sender;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const ssize_t size = ::recvmsg(fd, &message, MSG_DONTWAIT);
  if (size < 0) return Result<size_t>::failure(errno);
  if ((message.msg_flags & MSG_TRUNC) != 0) return Result<size_t>::failure(EMSGSIZE);
  return static_cast<size_t>(size);
}

// Waits until something is queued. Returns 0, ETIMEDOUT, EINTR or another errno.
int wait_for_reply(int fd, std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  pollfd waiting{fd, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<long long>(left, 0)));
  if (ready > 0) return 0;
  return ready == 0 ? ETIMEDOUT : errno;
}

}  // namespace

Result<Socket> Socket::open(int receive_buffer) {
  Socket socket;
  socket.fd_ = Descriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket.fd_) return Result<Socket>::failure(errno);
  const int on = 1;
  for (const int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK}) {
    ::setsockopt(socket.fd(), SOL_NETLINK, option, &on, sizeof on);
  }
  if (receive_buffer > 0) {
    ask_for_buffer(socket.fd(), SO_RCVBUFFORCE, SO_RCVBUF, receive_buffer);
    ask_for_buffer(socket.fd(), SO_SNDBUFFORCE, SO_SNDBUF, receive_buffer);
  }
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  if (::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Result<Socket>::failure(errno);
  }
  socket.receive_buffer_ = get_option(socket.fd(), SO_RCVBUF);
  socket.send_limit_ = static_cast<size_t>(std::max(get_option(socket.fd(), SO_SNDBUF) - kSendOverhead, 0));
  return socket;
}

int Socket::send(std::span<const std::byte> messages) {
  while (::send(fd(), messages.data(), messages.size(), 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

Result<size_t> Socket::receive(std::span<std::byte> buffer, int timeout_ms) {
  // Replies are queued before send returns, so the clock is not read unless there is something to wait for.
  std::chrono::steady_clock::time_point deadline{};
  while (true) {
    sockaddr_nl sender{};
    Result<size_t> size = receive_queued(fd(), buffer, sender);
    // Only the kernel (port 0) answers; another process may send to this socket's port.
    if (size && sender.nl_pid == 0) return size;
    if (size || size.error() == EINTR) continue;
    if (size.error() != EAGAIN) return size;
    if (deadline == decltype(deadline){}) {
      deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::max(timeout_ms, 0));
    }
    const int error = wait_for_reply(fd(), deadline);
    if (error != 0 && error != EINTR) return Result<size_t>::failure(error);
  }
}

Result<int> Socket::index_by_ioctl(std::string_view name) {
  ifreq request{};
  if (name.size() >= sizeof request.ifr_name) return Result<int>::failure(ENAMETOOLONG);
  // The kernel would cut the name at a colon, as for the alias devices of old.
  if (name.empty() || name.find(':') != name.npos) return Result<int>::failure(ENODEV);
  std::memcpy(request.ifr_name, name.data(), name.size());
  if (::ioctl(fd(), SIOCGIFINDEX, &request) != 0) return Result<int>::failure(errno);
  return request.ifr_ifindex;
}

}  // namespace netbatch::netlink
