// Network namespaces, compatible with ip-netns(8): /run/netns/NAME is a bind mount of the namespace, /run/netns itself
// a shared mount. Source: network_namespaces(7), setns(2), unshare(2), iproute2's behaviour.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "netlink/descriptor.hpp"
#include "netlink/result.hpp"
#include "netlink/socket.hpp"

namespace netbatch::netlink {

// Which namespace a descriptor is: two names can be one namespace, and one name can be two in turn.
struct NetnsIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const NetnsIdentity&, const NetnsIdentity&) = default;
};

// Opens the namespace file: `name` is a path when it has a '/', else a name below /run/netns. EINVAL where the file is
// not a network namespace.
Result<Descriptor> open_netns(std::string_view name);
Result<Descriptor> open_netns_of_pid(pid_t pid);
// The calling thread's.
Result<Descriptor> open_own_netns();
Result<NetnsIdentity> netns_identity(int netns);

// The names below /run/netns, in order; none where it cannot be read.
std::vector<std::string> netns_names();

// Makes the namespace and its file, as `ip netns add` does (/run/netns is made a shared mount the first time). EEXIST
// when the name is taken, EINVAL when it is no file name. The calling thread ends in the namespace `own` again, else
// the process is ended. Thread-safe. When `socket` is given, a socket in the new namespace is opened on the way
// (cheaper than entering it again). `*what` (optional) is set to the step that failed, e.g. "mount --make-shared
// /run/netns".
int create_netns(std::string_view name, int own, Socket* socket, std::string* what = nullptr);

// Gives an existing namespace a name, as `ip netns attach` does. EEXIST when it is taken.
int name_netns(std::string_view name, int netns);

// As `ip netns del`: unmounts and unlinks. ENOENT when there is none, EINVAL when the name is no file name.
int delete_netns(std::string_view name, std::string* what = nullptr);

// Opens a socket in `netns` and comes back to `own`. If coming back fails the process is ended: it must not go on in
// a namespace that nobody asked for.
Result<Socket> open_socket_in(int netns, int own, int receive_buffer = 0);

// Moves the calling process, which must have one thread, into new network and mount namespaces, and into a new user
// namespace unless it may do without (real root keeps SO_RCVBUFFORCE and module loading). Mounts are private,
// /run/netns is empty, lo is down. Nothing outside is touched. Returns 0 or errno; then `*what` says the step that
// failed, and the process may be half-way in.
int enter_sandbox(std::string* what = nullptr);

}  // namespace netbatch::netlink
