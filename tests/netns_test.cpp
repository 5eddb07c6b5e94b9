#include "netlink/netns.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sandbox.hpp"

using namespace netbatch::netlink;
using netbatch::test::in_sandbox;
using netbatch::test::kernel_lacks;
using netbatch::test::run_in_sandbox;
using netbatch::test::shell;

namespace {

NetnsIdentity identity_of(const Descriptor& netns) {
  auto identity = netns_identity(netns.get());
  REQUIRE(identity);
  return *identity;
}

NetnsIdentity identity_of(std::string_view name) {
  auto netns = open_netns(name);
  REQUIRE(netns);
  return identity_of(*netns);
}

NetnsIdentity own_identity() {
  auto own = open_own_netns();
  REQUIRE(own);
  return identity_of(*own);
}

int create(std::string_view name, std::string* what = nullptr) {
  auto own = open_own_netns();
  REQUIRE(own);
  return create_netns(name, own->get(), nullptr, what);
}

// Gives up real root. False where the user namespace knows no other user.
bool become_user() {
  if (::getuid() != 0) return true;
  return ::setresgid(1000, 1000, 1000) == 0 && ::setresuid(1000, 1000, 1000) == 0 &&
         ::prctl(PR_SET_DUMPABLE, 1) == 0;  // else /proc/self stays root's and uid_map cannot be written
}

}  // namespace

TEST_CASE("netns: what create makes, ip netns sees") {
  in_sandbox({}, [] {
    const NetnsIdentity before = own_identity();
    CHECK(create("a") == 0);
    CHECK(create("b") == 0);
    CHECK(own_identity() == before);
    CHECK_FALSE(identity_of("a") == before);
    CHECK_FALSE(identity_of("a") == identity_of("b"));
    CHECK(identity_of("/run/netns/a") == identity_of("a"));
    CHECK(shell("ip netns list | sort") == "a\nb\n");
    CHECK(shell("ip netns exec a ip -o link | cut -d: -f2") == " lo\n");
    CHECK(shell("ip -n a link add in-a type veth peer name in-a2; ip -n b link show in-a").find("does not exist") !=
          std::string::npos);
    CHECK(shell("ip netns del a; ip netns list") == "b\n");
  });
}

TEST_CASE("netns: what ip netns makes, delete removes") {
  in_sandbox({}, [] {
    CHECK(shell("ip netns add a && ip netns add b") == "");
    CHECK_FALSE(identity_of("a") == own_identity());
    CHECK(delete_netns("a") == 0);
    CHECK(open_netns("a").error() == ENOENT);
    CHECK(shell("ip netns list") == "b\n");
    CHECK(create("a") == 0);
    CHECK(shell("ip netns list | sort") == "a\nb\n");
  });
}

TEST_CASE("netns: /run/netns is one shared mount, made once") {
  in_sandbox({}, [] {
    const std::string shared = "grep -c ' /run/netns .* shared:' /proc/self/mountinfo";
    CHECK(shell(shared) == "0\n[exit 1]\n");
    CHECK(create("a") == 0);
    CHECK(shell(shared) == "1\n");
    CHECK(create("b") == 0);
    CHECK(shell("ip netns add c; grep -c ' /run/netns ' /proc/self/mountinfo") == "1\n");
    // A deletion reaches other mount namespaces, so that the namespace itself can go.
    CHECK(shell("unshare -m --propagation unchanged sh -c 'ip netns del a'; "
                "grep -c ' /run/netns/a ' /proc/self/mountinfo") == "0\n[exit 1]\n");
  });
}

// Where the sandbox has a /run of its own, /run/netns is no mount.
static bool unmount_run_netns() { return ::umount2("/run/netns", MNT_DETACH) == 0 || errno == EINVAL; }

TEST_CASE("netns: /run/netns is made where it is missing, and again after it went") {
  in_sandbox({}, [] {
    const std::string mounts = "grep -c ' /run/netns .* shared:' /proc/self/mountinfo";
    REQUIRE(unmount_run_netns());
    REQUIRE(::mount("none", "/run", "tmpfs", 0, nullptr) == 0);
    CHECK(create("a") == 0);
    CHECK(shell(mounts) == "1\n");
    REQUIRE(shell("ip netns del a; umount -l /run/netns && rmdir /run/netns") == "");
    CHECK(create("b") == 0);
    CHECK(shell(mounts) == "1\n");
    CHECK(shell("ip netns list") == "b\n");
  });
}

TEST_CASE("netns: a failure to prepare /run/netns is told, and the next attempt works") {
  in_sandbox({}, [] {
    REQUIRE(unmount_run_netns());
    REQUIRE(::mount("none", "/run", "tmpfs", MS_RDONLY, nullptr) == 0);
    std::string what;
    CHECK(create("a", &what) == EROFS);
    CHECK(what == "mkdir /run/netns");
    REQUIRE(::umount2("/run", MNT_DETACH) == 0);
    REQUIRE(::mount("none", "/run", "tmpfs", 0, nullptr) == 0);
    CHECK(create("a") == 0);
  });
}

TEST_CASE("netns: a name that is taken, or that nothing has") {
  in_sandbox({}, [] {
    std::string what;
    REQUIRE(create("a") == 0);
    const NetnsIdentity first = identity_of("a");
    CHECK(create("a", &what) == EEXIST);
    CHECK(what == "create /run/netns/a");
    CHECK(identity_of("a") == first);
    CHECK(open_netns("b").error() == ENOENT);
    CHECK(delete_netns("b", &what) == ENOENT);
    CHECK(what == "unlink /run/netns/b");
    CHECK(open_netns_of_pid(1 << 30).error() == ENOENT);
  });
}

TEST_CASE("netns: names that are no file name below /run/netns are refused") {
  in_sandbox({}, [] {
    using namespace std::string_view_literals;
    for (const auto name : {""sv, "."sv, ".."sv, "/"sv, "a/b"sv, "../x"sv, "a\0b"sv}) {
      CAPTURE(name);
      std::string what;
      CHECK(create(name, &what) == EINVAL);
      CHECK(what != "");
      CHECK(delete_netns(name) == EINVAL);
    }
    CHECK(create(std::string(300, 'x')) == ENAMETOOLONG);
    CHECK(open_netns("").error() == EINVAL);
    CHECK(open_netns(".").error() == EINVAL);
    CHECK(shell("ls -A /run/netns") == "");
  });
}

TEST_CASE("netns: a file that is no network namespace") {
  in_sandbox({}, [] {
    CHECK(shell("echo > /run/netns/plain; ln -s /run/netns/plain /run/netns/link") == "");
    CHECK(open_netns("plain").error() == EINVAL);
    CHECK(open_netns("/proc/self/ns/mnt").error() == EINVAL);
    CHECK(open_netns("/dev/null").error() == EINVAL);
    CHECK(delete_netns("link") == 0);
    CHECK(shell("ls /run/netns") == "plain\n");
    CHECK(delete_netns("plain") == 0);
  });
}

TEST_CASE("netns: two names of one namespace, one name for two in turn") {
  in_sandbox({}, [] {
    REQUIRE(create("a") == 0);
    CHECK(shell("touch /run/netns/b; mount --bind /run/netns/a /run/netns/b") == "");
    const NetnsIdentity first = identity_of("a");
    CHECK(identity_of("b") == first);
    CHECK(delete_netns("a") == 0);
    REQUIRE(create("a") == 0);
    CHECK(identity_of("b") == first);
    CHECK_FALSE(identity_of("a") == first);
    auto by_pid = open_netns_of_pid(::getpid());
    REQUIRE(by_pid);
    CHECK(identity_of(*by_pid) == own_identity());
  });
}

TEST_CASE("netns: a socket acts in the namespace it was opened in") {
  in_sandbox({}, [] {
    auto own = open_own_netns();
    REQUIRE(own);
    Socket made;
    REQUIRE(create_netns("a", own->get(), &made) == 0);
    REQUIRE(shell("ip -n a link add only-a type veth peer name peer-a") == "");
    auto a = open_netns("a");
    REQUIRE(a);
    auto later = open_socket_in(a->get(), own->get(), 400'000);
    REQUIRE(later);
    auto here = Socket::open();
    REQUIRE(here);
    CHECK(made.index_by_ioctl("only-a"));
    CHECK(later->index_by_ioctl("only-a"));
    CHECK(here->index_by_ioctl("only-a").error() == ENODEV);
    CHECK(*here->index_by_ioctl("lo") == 1);
    CHECK(here->index_by_ioctl("lo:1").error() == ENODEV);
    CHECK(here->index_by_ioctl("").error() == ENODEV);
    CHECK(here->index_by_ioctl("sixteen-bytes-xx").error() == ENAMETOOLONG);
    CHECK(open_socket_in(::open("/dev/null", O_RDONLY | O_CLOEXEC), own->get()).error() == EINVAL);
    CHECK(::if_nametoindex("only-a") == 0);
  });
}

TEST_CASE("netns: when the namespace cannot be made, its file does not stay") {
  in_sandbox({}, [] {
    if (!become_user()) return;  // the limit below would be that of a user namespace that is not ours
    auto child = run_in_sandbox([] {
      CHECK(shell("id -u; echo 1 > /proc/sys/user/max_net_namespaces") == "0\n");
      const NetnsIdentity before = own_identity();
      std::string what;
      CHECK(create("a", &what) == ENOSPC);
      CHECK(what == "unshare(CLONE_NEWNET)");
      CHECK(shell("ls -A /run/netns") == "");
      CHECK(own_identity() == before);
      CHECK(shell("echo 2 > /proc/sys/user/max_net_namespaces") == "");
      CHECK(create("a") == 0);
    });
    if (child.text.find("no sandbox") == 0) {
      MESSAGE("skipped for users: " << child.text);
    } else {
      CHECK_MESSAGE(child.status == 0, child.text);
    }
  });
}

TEST_CASE("netns: two threads create and delete at the same time") {
  in_sandbox({}, [] {
    const NetnsIdentity before = own_identity();
    std::vector<int> errors(2);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([thread, before, &errors] {
        auto own = open_own_netns();
        for (int i = 0; own && i < 20; ++i) {
          const std::string name = "t" + std::to_string(thread) + "-" + std::to_string(i);
          errors[thread] |= create_netns(name, own->get(), nullptr);
          if (i % 2 != 0) errors[thread] |= delete_netns(name);
        }
        auto after = open_own_netns();
        if (!after || !(*netns_identity(after->get()) == before)) errors[thread] |= 1 << 20;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(errors == std::vector<int>{0, 0});
    CHECK(shell("ip netns list | wc -l") == "20\n");
    CHECK(shell("grep -c ' /run/netns .* shared:' /proc/self/mountinfo") == "1\n");
  });
}

TEST_CASE("sandbox: it sees nothing of the outside, and the outside nothing of it") {
  if (kernel_lacks("")) return;  // the other cases say why
  const std::string outside =
      "readlink /proc/self/ns/net /proc/self/ns/mnt; ls -A /run /run/netns; cat /proc/self/mountinfo";
  const std::string before = shell(outside);
  auto child = run_in_sandbox([] {
    CHECK(shell("ls -A /run/netns; ip -o link | cut -d: -f2; id -u") == " lo\n0\n");
    CHECK(shell("ls /sys/class/net | grep -v bonding_masters") == "lo\n");  // a file that the bonding driver puts there
    CHECK(create("a") == 0);
    auto inner = run_in_sandbox([] {
      CHECK(shell("ls -A /run/netns") == "");
      CHECK(create("a") == 0);
    });
    CHECK_MESSAGE(inner.status == 0, inner.text);
    CHECK(shell("ls -A /run/netns") == "a\n");
  });
  CHECK_MESSAGE(child.status == 0, child.text);
  CHECK(shell(outside) == before);
}

TEST_CASE("sandbox: the child's failed checks, exceptions and signals reach the parent") {
  if (kernel_lacks("")) return;  // the other cases say why
  CHECK(run_in_sandbox([] { return std::string(100'000, 'x'); }).text.size() == 100'000);
  const auto failing = [](void (*check)()) {
    return run_in_sandbox([check] {
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);  // the failure is meant, nobody need read of it
      check();
    });
  };
  CHECK(failing([] { CHECK(1 == 2); }).status == 1);
  CHECK(failing([] { REQUIRE(1 == 2); }).status == 1);
  CHECK(failing([] { FAIL_CHECK("x"); }).status == 1);
  CHECK(run_in_sandbox([] { CHECK(1 == 1); }).status == 0);
  CHECK(run_in_sandbox([] { throw std::string("x"); }).status == 2);
  CHECK(run_in_sandbox([] { ::raise(SIGKILL); }).status == 128 + SIGKILL);
  CHECK(shell("echo out; echo err >&2; exit 3") == "out\nerr\n[exit 3]\n");
}
