// `netbatch run` on the running kernel: what is there afterwards, as `ip` shows it, and what is said of failures.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/sandbox.hpp"

using netbatch::test::in_sandbox;
using netbatch::test::shell;

namespace {

// Runs the script, in the sandbox that the test is in. "" when all was done and nothing said.
std::string run(const std::string& script, const std::string& options = "") {
  char path[] = "/tmp/netbatch-run-XXXXXX";
  const int file = ::mkstemp(path);
  REQUIRE(file >= 0);
  ::close(file);
  std::ofstream(path) << script;
  const std::string text = shell(fmt::format("{} run {} - < {}", NETBATCH_BINARY, options, path));
  std::remove(path);
  return text;
}

// A line for each link but lo, sorted: its name and the values of `keys`.
std::string links(const std::string& keys, const std::string& netns = "") {
  const std::string text = shell(netns.empty() ? "ip -j -d link" : fmt::format("ip -n {} -j -d link", netns));
  std::vector<std::string> lines;
  for (const auto& link : nlohmann::json::parse(text)) {
    if (link["ifname"] == "lo") continue;
    std::string& line = lines.emplace_back(link["ifname"].get<std::string>());
    for (size_t begin = 0; begin < keys.size();) {
      const size_t end = std::min(keys.find(' ', begin), keys.size());
      const std::string key = keys.substr(begin, end - begin);
      line += ' ';
      if (link.contains(key)) line += link[key].is_string() ? link[key].get<std::string>() : link[key].dump();
      begin = end + 1;
    }
    line += '\n';
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

size_t count_links(const std::string& netns = "") {
  const std::string text = links("", netns);
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

const char* const kBothWays[] = {"", "--no-plan --window 1"};

}  // namespace

// The cache's rules, one scenario each; planned, and one by one.

TEST_CASE("run: delete one end of a pair, make it again, use the other end") {
  for (const char* options : kBothWays) {
    in_sandbox({"veth", "bridge"}, [options] {
      CHECK(run("link add br0 type bridge\n"
                "link add v0 type veth peer name p0\n"
                "addr add 10.0.0.1/24 dev p0\n"
                "link del v0\n"
                "link add v0 type veth peer name p0\n"
                "addr add 10.0.0.2/24 dev p0\n"
                "link set p0 master br0\n",
                options) == "");
      CHECK(links("master") == "br0 \np0 br0\nv0 \n");
      CHECK(shell("ip -br -4 addr show dev p0 | awk '{print $3}'") == "10.0.0.2/24\n");
    });
  }
}

TEST_CASE("run: rename a link and use its name for another") {
  for (const char* options : kBothWays) {
    in_sandbox({"bridge"}, [options] {
      CHECK(run("link add b0 type bridge\n"
                "addr add 10.0.0.1/24 dev b0\n"
                "link set b0 name b1\n"
                "link add b0 type bridge\n"
                "addr add 10.0.0.2/24 dev b0\n"
                "addr add 10.0.0.3/24 dev b1\n",
                options) == "");
      CHECK(shell("ip -br -4 addr show dev b0 | awk '{print $3}'") == "10.0.0.2/24\n");
      CHECK(shell("ip -br -4 addr show dev b1 | awk '{print $3,$4}'") == "10.0.0.1/24 10.0.0.3/24\n");
    });
  }
}

TEST_CASE("run: an alternative name goes with its link") {
  for (const char* options : kBothWays) {
    in_sandbox({"bridge"}, [options] {
      CHECK(run("link add b0 type bridge\n"
                "link property add dev b0 altname other\n"
                "addr add 10.0.0.1/24 dev other\n"
                "link del b0\n"
                "link add other type bridge\n"
                "addr add 10.0.0.2/24 dev other\n",
                options) == "");
      CHECK(shell("ip -br -4 addr show dev other | awk '{print $1,$3}'") == "other 10.0.0.2/24\n");
    });
  }
}

TEST_CASE("run: one name in two namespaces") {
  for (const char* options : kBothWays) {
    in_sandbox({"bridge"}, [options] {
      CHECK(run("netns add a\n"
                "netns add b\n"
                "-n a link add br0 type bridge\n"
                "-n b link add br0 type bridge\n"
                "-n b link add other type bridge\n"
                "-n a addr add 10.0.0.1/24 dev br0\n"
                "-n b addr add 10.0.0.2/24 dev br0\n"
                "-n a link del br0\n"
                "-n b addr add 10.0.0.3/24 dev br0\n",
                options) == "");
      CHECK(links("", "a") == "");
      CHECK(shell("ip -n b -br -4 addr show dev br0 | awk '{print $3,$4}'") == "10.0.0.2/24 10.0.0.3/24\n");
    });
  }
}

TEST_CASE("run: two names of one namespace") {
  for (const char* options : kBothWays) {
    in_sandbox({"bridge"}, [options] {
      CHECK(shell("ip netns add a && touch /run/netns/b && mount --bind /run/netns/a /run/netns/b") == "");
      CHECK(run("-n a link add br0 type bridge\n"
                "-n b addr add 10.0.0.1/24 dev br0\n"
                "-n b link del br0\n"
                "-n a link add br0 type bridge\n"
                "-n b addr add 10.0.0.2/24 dev br0\n",
                options) == "");
      CHECK(shell("ip -n a -br -4 addr show dev br0 | awk '{print $3}'") == "10.0.0.2/24\n");
    });
  }
}

TEST_CASE("run: a namespace that is deleted and made again") {
  for (const char* options : kBothWays) {
    in_sandbox({"bridge"}, [options] {
      CHECK(run("netns add a\n"
                "-n a link add br0 type bridge\n"
                "-n a addr add 10.0.0.1/24 dev br0\n"
                "netns del a\n"
                "netns add a\n"
                "-n a link add br0 type bridge\n"
                "-n a addr add 10.0.0.2/24 dev br0\n",
                options) == "");
      CHECK(shell("ip -n a -br -4 addr show dev br0 | awk '{print $3}'") == "10.0.0.2/24\n");
    });
  }
}

TEST_CASE("run: a name that a delete in another namespace frees") {
  for (const char* options : kBothWays) {
    in_sandbox({"veth", "bridge"}, [options] {
      CHECK(shell("ip netns add a; ip link add v0 type veth peer name p0 netns a; ip -n a link add q0 type bridge") ==
            "");
      CHECK(run("-n a link set q0 up\nlink del v0\n-n a link add p0 type bridge\n", options) == "");
      CHECK(links("", "a") == "p0\nq0\n");
    });
  }
}

TEST_CASE("run: deleted links are deleted once, and both ends of a pair may be named") {
  for (const char* options : kBothWays) {
    in_sandbox({"veth"}, [options] {
      CHECK(shell("ip link add v0 type veth peer name p0; ip link add v1 type veth peer name p1") == "");
      CHECK(run("link del v0\nlink del p0\nlink del v1\n", options) == "");
      CHECK(count_links() == 0);
      CHECK(shell("ip link add v0 type veth peer name p0; ip link add v1 type veth peer name p1") == "");
      CHECK(run("link del v0\nlink del v0\nlink del v1\n", std::string(options) + " --on-error stop") ==
            "<stdin>:2:10: error: no link named 'v0'\n"
            "    2 | link del v0\n"
            "      |          ^~\n"
            "   kernel: No such device (ENODEV)\n"
            "[exit 1]\n");
    });
  }
}

TEST_CASE("run: links are made in the namespace that they move to") {
  for (const char* options : kBothWays) {
    in_sandbox({"veth", "macvlan"}, [options] {
      CHECK(run("netns add a\n"
                "link add v0 type veth peer name p0\n"
                "link add m0 link v0 address 02:00:00:00:00:05 type macvlan mode bridge\n"
                "link set m0 netns a\n"
                "link set p0 netns a name eth0 mtu 1400\n"
                "-n a link set m0 name m1 up\n",
                options) == "");
      CHECK(links("") == "v0\n");
      CHECK(links("mtu address", "a").find("m1 1500 02:00:00:00:00:05\n") != std::string::npos);
      CHECK(links("mtu", "a").find("eth0 1400\n") != std::string::npos);
    });
  }
}

TEST_CASE("run: a container") {
  for (const char* options : kBothWays) {
    in_sandbox({"veth", "bridge"}, [options] {
      CHECK(run("link add br0 type bridge\n"
                "addr add 10.0.0.254/16 dev br0\n"
                "link set br0 up\n"
                "netns add c1\n"
                "link add v1 type veth peer name p1 address 02:00:00:00:00:01\n"
                "link set p1 netns c1\n"
                "-n c1 link set p1 name eth0\n"
                "link set v1 master br0\n"
                "link set v1 up\n"
                "-n c1 link set lo up\n"
                "-n c1 link set eth0 up\n"
                "-n c1 addr add 10.0.0.1/16 dev eth0\n"
                "-n c1 route add default via 10.0.0.254\n",
                options) == "");
      CHECK(links("master") == "br0 \nv1 br0\n");
      CHECK(links("operstate address", "c1") == "eth0 UP 02:00:00:00:00:01\n");
      CHECK(shell("ip -n c1 route | sed 's/ *$//'") ==
            "default via 10.0.0.254 dev eth0\n10.0.0.0/16 dev eth0 proto kernel scope link src 10.0.0.1\n");
    });
  }
}

// Descriptors.

TEST_CASE("run: 2,000 namespaces with 256 descriptors") {
  in_sandbox({"veth"}, [] {
    std::string script;
    for (int i = 0; i < 2000; ++i) script += fmt::format("netns add n{0}\n-n n{0} link set lo up\n", i);
    for (int i = 0; i < 2000; i += 100) script += fmt::format("link add v{0} type veth peer name eth0 netns n{0}\n", i);
    for (int i = 0; i < 2000; i += 100) script += fmt::format("-n n{0} addr add 10.0.0.1/24 dev eth0\n", i);
    std::ofstream("/tmp/netbatch-many.nb") << script;
    CHECK(shell(fmt::format("ulimit -n 256; {} run /tmp/netbatch-many.nb", NETBATCH_BINARY)) == "");
    CHECK(count_links() == 20);
    CHECK(shell("ip -n n1900 -br -4 addr show dev eth0 | awk '{print $3}'") == "10.0.0.1/24\n");
    CHECK(shell("ip -n n1999 -br link show dev lo | awk '{print $2}'") == "UNKNOWN\n");
    std::remove("/tmp/netbatch-many.nb");
  });
}

TEST_CASE("run: links made in many namespaces by requests of one window") {
  in_sandbox({"veth"}, [] {
    std::string script;
    for (int i = 0; i < 300; ++i)
      script += fmt::format("netns add n{0}\nlink add v{0} type veth peer netns n{0} name eth0\n", i);
    std::ofstream("/tmp/netbatch-window.nb") << script;
    CHECK(shell(fmt::format("ulimit -n 256; {} run /tmp/netbatch-window.nb", NETBATCH_BINARY)) == "");
    CHECK(count_links() == 300);
    CHECK(links("", "n299") == "eth0\n");
    std::remove("/tmp/netbatch-window.nb");
  });
}

// Names that netbatch picks.

TEST_CASE("run: pairs without names get the lowest free ones") {
  in_sandbox({"veth"}, [] {
    std::string script;
    for (int i = 0; i < 200; ++i) script += "link add type veth\n";
    CHECK(run(script) == "");
    CHECK(count_links() == 400);
    CHECK(shell("for i in $(seq 0 399); do [ -e /sys/class/net/veth$i ] || ip link show veth$i > /dev/null; done") ==
          "");
  });
}

TEST_CASE("run: names that netbatch picks are those that the kernel would pick, with gaps") {
  for (const bool by_ip : {false, true}) {
    in_sandbox({"veth"}, [by_ip] {
      CHECK(shell("ip link add veth1 type veth peer name veth4; ip link add veth01 type veth peer name vethx") == "");
      const std::string script = "link add type veth\nlink add named type veth\nlink add type veth peer name other\n";
      CHECK((by_ip ? shell("ip -batch - <<'E'\n" + script + "E") : run(script)) == "");
      const std::string all = links("");
      for (const char* name : {"veth0\n", "veth1\n", "veth2\n", "veth3\n", "veth4\n", "veth5\n", "named\n", "other\n"})
        CHECK_MESSAGE(all.find(name) != all.npos, name);
    });
  }
}

// What is said of failures: the whole of stderr.

TEST_CASE("run: File exists") {
  in_sandbox({"bridge", "veth"}, [] {
    CHECK(run("link add b0 type bridge\nlink add b0 type bridge\n", "--on-error stop") ==
          "<stdin>:2:10: error: a link of this name exists already\n"
          "    2 | link add b0 type bridge\n"
          "      |          ^~\n"
          "   kernel: File exists (EEXIST)\n"
          "[exit 1]\n");
    CHECK(run("link add b1 type bridge\nlink set b1 name b0\n", "--on-error stop") ==
          "<stdin>:2:18: error: a link has this name already\n"
          "    2 | link set b1 name b0\n"
          "      |                  ^~\n"
          "   kernel: File exists (EEXIST)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: no such device") {
  in_sandbox({"bridge"}, [] {
    CHECK(run("link set w0 up\n", "--on-error stop") ==
          "<stdin>:1:10: error: no link named 'w0'\n"
          "    1 | link set w0 up\n"
          "      |          ^~\n"
          "   kernel: No such device (ENODEV)\n"
          "[exit 1]\n");
    CHECK(run("link add b0 type bridge\nlink set b0 alias x master b9\n", "--on-error stop") ==
          "<stdin>:2:21: error: no link named 'b9'\n"
          "    2 | link set b0 alias x master b9\n"
          "      |                     ^~~~~~~~~\n"
          "   kernel: No such device (ENODEV)\n"
          "[exit 1]\n");
    CHECK(run("addr add 10.0.0.1/8 dev b9\n", "--on-error stop") ==
          "<stdin>:1:25: error: no link named 'b9'\n"
          "    1 | addr add 10.0.0.1/8 dev b9\n"
          "      |                         ^~\n"
          "   kernel: No such device (ENODEV)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: a failure in a loop says which round") {
  in_sandbox({}, [] {
    CHECK(run("for i in 7..8 {\n  link set w$i up\n}\n", "--on-error continue") ==
          "<stdin>:2:12: error: no link named 'w7'\n"
          "    2 |   link set w$i up\n"
          "      |            ^~~\n"
          "   in the loop at <stdin>:1 with i = 7\n"
          "   kernel: No such device (ENODEV)\n"
          "<stdin>:2:12: error: no link named 'w8'\n"
          "    2 |   link set w$i up\n"
          "      |            ^~~\n"
          "   in the loop at <stdin>:1 with i = 8\n"
          "   kernel: No such device (ENODEV)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: an MTU that is out of range") {
  in_sandbox({"veth"}, [] {
    CHECK(run("link add v0 type veth peer name p0\nlink set v0 mtu 10\n", "--on-error stop") ==
          "<stdin>:2:13: error: the kernel refuses this: mtu less than device minimum\n"
          "    2 | link set v0 mtu 10\n"
          "      |             ^~~~~~\n"
          "   kernel: Invalid argument (EINVAL)\n"
          "[exit 1]\n");
    CHECK(run("link add v1 mtu 10 type veth peer name p1\n", "--on-error stop") ==
          "<stdin>:1:13: error: the link cannot have this MTU\n"
          "    1 | link add v1 mtu 10 type veth peer name p1\n"
          "      |             ^~~~~~\n"
          "   kernel: Invalid argument (EINVAL)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: a multicast MAC") {
  in_sandbox({"veth"}, [] {
    CHECK(run("link add v0 type veth peer name p0\nlink set v0 address 01:00:00:00:00:01 up\n", "--on-error stop") ==
          "<stdin>:2:13: error: a link cannot have this MAC address (is it a multicast address, or zero?)\n"
          "    2 | link set v0 address 01:00:00:00:00:01 up\n"
          "      |             ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
          "   kernel: Cannot assign requested address (EADDRNOTAVAIL)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: an unknown namespace") {
  in_sandbox({"veth"}, [] {
    CHECK(run("link add v0 type veth peer name p0\nlink set p0 netns lab\n", "--on-error stop") ==
          "<stdin>:2:13: error: no namespace named 'lab'\n"
          "    2 | link set p0 netns lab\n"
          "      |             ^~~~~~~~~\n"
          "   kernel: No such file or directory (ENOENT)\n"
          "[exit 1]\n");
    CHECK(run("-n lab link set lo up\n", "--on-error stop") ==
          "<stdin>:1:1: error: no namespace named 'lab'\n"
          "    1 | -n lab link set lo up\n"
          "      | ^~~~~~~~~~~~~~~~~~~~~\n"
          "   kernel: No such file or directory (ENOENT)\n"
          "[exit 1]\n");
    CHECK(run("netns del lab\n", "--on-error stop") ==
          "<stdin>:1:11: error: no namespace named 'lab'\n"
          "    1 | netns del lab\n"
          "      |           ^~~\n"
          "   unlink /run/netns/lab: No such file or directory (ENOENT)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: a gateway that no link reaches") {
  in_sandbox({}, [] {
    CHECK(run("route add default via 10.9.0.1\n", "--on-error stop") ==
          "<stdin>:1:1: error: no link reaches the gateway: give a link an address in its network first, or say "
          "'onlink'\n"
          "    1 | route add default via 10.9.0.1\n"
          "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
          "   kernel: Nexthop has invalid gateway (ENETUNREACH)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: the 1,024th port of a bridge") {
  in_sandbox({"veth", "bridge"}, [] {
    std::string script = "link add br0 type bridge\n";
    for (int i = 1; i <= 1023; ++i) script += fmt::format("link add v{0} master br0 type veth peer name p{0}\n", i);
    CHECK(run(script) == "");
    CHECK(run("link add v1024 type veth peer name p1024\nlink set v1024 master br0\n", "--on-error stop") ==
          "<stdin>:2:16: error: the bridge is full: it takes 1,023 ports\n"
          "    2 | link set v1024 master br0\n"
          "      |                ^~~~~~~~~~\n"
          "   kernel: Exchange full (EXFULL)\n"
          "[exit 1]\n");
    CHECK(links("").find("v1024\n") != std::string::npos);
  });
}

TEST_CASE("run: a kind that the kernel does not have") {
  in_sandbox({}, [] {
    CHECK(run("link add q0 type nosuch\n", "--on-error stop") ==
          "<stdin>:1:18: error: this kernel has no links of type 'nosuch'\n"
          "    1 | link add q0 type nosuch\n"
          "      |                  ^~~~~~\n"
          "   kernel: Unknown device type (EOPNOTSUPP)\n"
          "[exit 1]\n");
  });
}

TEST_CASE("run: a syntax error on the last line changes nothing") {
  in_sandbox({"bridge"}, [] {
    CHECK(run("link add b0 type bridge\nlink set b0 upp\n") ==
          "<stdin>:2:13: error: unknown option 'upp' of 'link set'\n"
          "    2 | link set b0 upp\n"
          "      |             ^~~\n"
          "   did you mean 'up'?\n"
          "nothing was changed\n"
          "[exit 2]\n");
    CHECK(count_links() == 0);
  });
}

TEST_CASE("run: stop and continue") {
  in_sandbox({"bridge"}, [] {
    const std::string script = "link add b0 type bridge\nlink set w0 up\nlink add b1 type bridge\nlink set w1 up\n";
    const std::string text = run(script, "--on-error continue");
    CHECK(text.find("'w0'") != text.npos);
    CHECK(text.find("'w1'") != text.npos);
    CHECK(text.ends_with("[exit 1]\n"));
    CHECK(links("") == "b0\nb1\n");
    CHECK(shell("ip link del b0; ip link del b1") == "");
    const std::string first = run(script, "--on-error stop --window 1");
    CHECK(first.find("'w0'") != first.npos);
    CHECK(first.find("'w1'") == first.npos);
    CHECK(links("") == "b0\n");
  });
}

TEST_CASE("run: --stats") {
  in_sandbox({"bridge"}, [] {
    const std::string text = run("link add b0 type bridge\nlink set b0 alias x\n", "--stats --on-error continue");
    for (const char* line : {"operations  2\n", "requests    2\n", "sendmsg     1\n", "acks        1\n",
                             "look-ups    0\n", "run plainly 0\n", "parse ", "plan ", "execute "})
      CHECK_MESSAGE(text.find(line) != text.npos, text);
  });
}

TEST_CASE("run: a link that cannot be deleted is found out before the others are") {
  in_sandbox({"bridge"}, [] {
    REQUIRE(run("for i in 1..4 { link add b$i type bridge }") == "");
    const std::string before = links("ifindex");
    CHECK(run("link set b1 alias x\nlink del b1\nlink del b2\nlink del nowhere\nlink del b3\nlink del later\n") ==
          "<stdin>:4:10: error: no link named 'nowhere'\n"
          "    4 | link del nowhere\n"
          "      |          ^~~~~~~\n"
          "   kernel: No such device (ENODEV)\n"
          "rolled back 1 operation; nothing of this script remains\n"
          "[exit 1]\n");
    CHECK(links("ifindex") == before);
    CHECK(run("link del b1\nlink del b2\nlink del nowhere\nlink del b3\n", "--on-error stop").ends_with("[exit 1]\n"));
    CHECK(links("") == "b3\nb4\n");
  });
}

TEST_CASE("run: a link that comes later is not the one that a failed statement meant") {
  in_sandbox({"bridge", "veth"}, [] {
    const std::string text =
        run("link add b0 type bridge\nlink set b0 name b1\nlink set v0 master b1\nlink set v1 master b1\n"
            "link add v2 type veth peer name v1\n",
            "--on-error continue");
    CHECK(text.find("3:10: error: no link named 'v0'") != text.npos);
    CHECK(text.find("4:10: error: no link named 'v1'") != text.npos);
    CHECK(links("master") == "b1 \nv1 \nv2 \n");
  });
}

TEST_CASE("run: a bridge still follows its ports after what ran too far was taken back") {
  in_sandbox({"bridge", "veth"}, [] {
    REQUIRE(run("link add b0 type bridge\nlink add v0 mtu 1280 type veth peer name v1\n") == "");
    const std::string text = run("link set v0 master b0\nlink set b0 name v1\nnetns add c1\n", "--on-error stop");
    CHECK(text.find("2:18: error: a link has this name already") != text.npos);
    CHECK(links("mtu master") == "b0 1280 \nv0 1280 b0\nv1 1500 \n");
    CHECK(shell("ip netns") == "");
  });
}
