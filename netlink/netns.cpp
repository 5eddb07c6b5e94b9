#include "netlink/netns.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

namespace netbatch::netlink {
namespace {

constexpr char kRunDirectory[] = "/run/netns";
constexpr char kThreadNetns[] = "/proc/thread-self/ns/net";

// The mount on /run/netns that this process has made shared: its mount ID, which no other mount namespace shares.
std::atomic<uint64_t> shared_mount{UINT64_MAX};
std::mutex shared_mount_mutex;

int failed(std::string* what, std::string step, int error) {
  if (what != nullptr) *what = std::move(step);
  return error;
}

std::string path_of(std::string_view name) { return fmt::format("{}/{}", kRunDirectory, name); }

// A name is one file below /run/netns.
bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
}

// Makes /run/netns a shared mount, so that unmounting a namespace here unmounts it in every mount namespace. What is
// no mount yet is bound to itself first. Returns 0 or errno.
int share_run_directory(std::string* what) {
  if (::mount("", kRunDirectory, "none", MS_SHARED | MS_REC, nullptr) == 0) return 0;
  if (errno != EINVAL) return failed(what, "mount --make-shared /run/netns", errno);
  if (::mount(kRunDirectory, kRunDirectory, "none", MS_BIND | MS_REC, nullptr) != 0) {
    return failed(what, "mount --bind /run/netns /run/netns", errno);
  }
  if (::mount("", kRunDirectory, "none", MS_SHARED | MS_REC, nullptr) == 0) return 0;
  return failed(what, "mount --make-shared /run/netns", errno);
}

// Two processes that bind the directory to itself at the same time would stack mounts without end, so the work is done
// under the lock that ip(8) takes too. Where the file system has no locks, the work is done all the same.
int make_run_directory(std::string* what) {
  if (::mkdir(kRunDirectory, 0755) != 0 && errno != EEXIST) return failed(what, "mkdir /run/netns", errno);
  const Descriptor directory(::open(kRunDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return failed(what, "open /run/netns", errno);
  while (::flock(directory.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return share_run_directory(what);
}

// Asked for each namespace, as /run/netns may be unmounted, removed or (in a sandbox) mounted anew at any time.
bool is_shared() {
  struct statx directory {};
  return ::statx(AT_FDCWD, kRunDirectory, 0, STATX_MNT_ID, &directory) == 0 && directory.stx_mnt_id == shared_mount;
}

int prepare_run_directory(std::string* what) {
  if (is_shared()) return 0;
  const std::scoped_lock lock(shared_mount_mutex);
  if (is_shared()) return 0;
  if (const int error = make_run_directory(what)) return error;
  struct statx directory {};
  if (::statx(AT_FDCWD, kRunDirectory, 0, STATX_MNT_ID, &directory) == 0) shared_mount = directory.stx_mnt_id;
  return 0;
}

// The file to mount on.
int create_file(const std::string& path, std::string* what) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0));
  return file ? 0 : failed(what, "create " + path, errno);
}

void enter_or_die(int netns) {
  if (::setns(netns, CLONE_NEWNET) == 0) return;
  std::perror("netbatch: cannot return to its own network namespace; setns");
  std::_Exit(EXIT_FAILURE);
}

// In a new namespace: opens the socket, mounts the namespace on the file. Returns 0 or errno.
int furnish(const std::string& path, Socket* socket, std::string* what) {
  Socket opened;
  if (socket != nullptr) {
    Result<Socket> result = Socket::open();
    if (!result) return failed(what, "open a socket in the new namespace", result.error());
    opened = std::move(*result);
  }
  if (::mount(kThreadNetns, path.c_str(), "none", MS_BIND, nullptr) != 0) {
    return failed(what, fmt::format("mount --bind {} {}", kThreadNetns, path), errno);
  }
  if (socket != nullptr) *socket = std::move(opened);
  return 0;
}

// ENOTTY (any other file) and another kind of namespace are EINVAL, as setns would say.
Result<Descriptor> open_checked(const std::string& path) {
  Descriptor netns(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!netns) return Result<Descriptor>::failure(errno);
  if (::ioctl(netns.get(), NS_GET_NSTYPE) != CLONE_NEWNET) return Result<Descriptor>::failure(EINVAL);
  return netns;
}

}  // namespace

std::vector<std::string> netns_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kRunDirectory, error))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Result<Descriptor> open_netns(std::string_view name) {
  if (name.empty() || name.find('\0') != name.npos) return Result<Descriptor>::failure(EINVAL);
  return open_checked(name.find('/') != name.npos ? std::string(name) : path_of(name));
}

Result<Descriptor> open_netns_of_pid(pid_t pid) { return open_checked(fmt::format("/proc/{}/ns/net", pid)); }

Result<Descriptor> open_own_netns() { return open_checked(kThreadNetns); }

Result<NetnsIdentity> netns_identity(int netns) {
  struct stat file {};
  if (::fstat(netns, &file) != 0) return Result<NetnsIdentity>::failure(errno);
  return NetnsIdentity{file.st_dev, file.st_ino};
}

int create_netns(std::string_view name, int own, Socket* socket, std::string* what) {
  if (!is_name(name)) return failed(what, "the name of a namespace is one file name", EINVAL);
  const std::string path = path_of(name);
  int error = prepare_run_directory(what);
  if (error == 0) error = create_file(path, what);
  if (error != 0) return error;
  if (::unshare(CLONE_NEWNET) == 0) {
    error = furnish(path, socket, what);
    enter_or_die(own);
  } else {
    error = failed(what, "unshare(CLONE_NEWNET)", errno);
  }
  if (error != 0) ::unlink(path.c_str());
  return error;
}

int name_netns(std::string_view name, int netns) {
  if (!is_name(name)) return EINVAL;
  const std::string path = path_of(name);
  int error = prepare_run_directory(nullptr);
  if (error == 0) error = create_file(path, nullptr);
  if (error != 0) return error;
  const std::string source = fmt::format("/proc/thread-self/fd/{}", netns);
  if (::mount(source.c_str(), path.c_str(), "none", MS_BIND, nullptr) == 0) return 0;
  error = errno;
  ::unlink(path.c_str());
  return error;
}

int delete_netns(std::string_view name, std::string* what) {
  if (!is_name(name)) return failed(what, "the name of a namespace is one file name", EINVAL);
  const std::string path = path_of(name);
  // Fails where nothing is mounted, which leaves a plain file to remove. A symbolic link goes; what it points to stays.
  ::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  return ::unlink(path.c_str()) == 0 ? 0 : failed(what, "unlink " + path, errno);
}

Result<Socket> open_socket_in(int netns, int own, int receive_buffer) {
  if (::setns(netns, CLONE_NEWNET) != 0) return Result<Socket>::failure(errno);
  Result<Socket> socket = Socket::open(receive_buffer);
  enter_or_die(own);
  return socket;
}

}  // namespace netbatch::netlink
