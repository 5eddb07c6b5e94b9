#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "netlink/descriptor.hpp"
#include "netlink/netns.hpp"

namespace netbatch::netlink {
namespace {

// One step: what it is called, and 0 or the errno it ended with.
struct Step {
  std::string name;
  int error = 0;
};

Step step(std::string name, int result) { return {std::move(name), result == 0 ? 0 : errno}; }

Step write_file(const char* path, std::string_view text) {
  const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  const bool written = file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return step(fmt::format("write '{}' to {}", text, path), written ? 0 : -1);
}

Step mount_new(const char* type, const char* path, const char* options) {
  return step(fmt::format("mount {} on {}", type, path),
              ::mount(type, path, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, options));
}

// Root that may unshare (it may lack CAP_SYS_ADMIN in a container) needs no user namespace.
Step unshare_all() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user == 0 && ::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0) return {};
  Step done = step("unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS)",
                   ::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS));
  if (done.error == 0) done = write_file("/proc/self/setgroups", "deny");  // without it gid_map may not be written
  if (done.error == 0) done = write_file("/proc/self/uid_map", fmt::format("0 {} 1", user));
  if (done.error == 0) done = write_file("/proc/self/gid_map", fmt::format("0 {} 1", group));
  return done;
}

// An empty /run/netns. Where there is none, one is made on a tmpfs over /run, as /run itself is the host's.
Step mount_run_directory() {
  struct stat directory {};
  if (::stat("/run/netns", &directory) == 0) return mount_new("tmpfs", "/run/netns", "mode=0755");
  Step done = mount_new("tmpfs", "/run", "mode=0755");
  if (done.error == 0) done = step("mkdir /run/netns", ::mkdir("/run/netns", 0755));
  return done;
}

}  // namespace

int enter_sandbox(std::string* what) {
  Step done = unshare_all();
  if (done.error == 0) done = step("mount --make-rprivate /", ::mount("", "/", "none", MS_REC | MS_PRIVATE, nullptr));
  if (done.error == 0) done = mount_run_directory();
  if (done.error == 0) {
    mount_new("sysfs", "/sys", nullptr);  // shows the new namespace's links; some containers do not allow it
    return 0;
  }
  if (what != nullptr) *what = std::move(done.name);
  return done.error;
}

}  // namespace netbatch::netlink
