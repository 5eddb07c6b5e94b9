// `ensure` and `absent` on the running kernel: the second run changes nothing, and a run after a disturbance brings
// back what the script says.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/sandbox.hpp"

using netbatch::test::in_sandbox;
using netbatch::test::shell;

namespace {

constexpr const char* kPath = "/run/ensure.nb";

void write(const std::string& script) { std::ofstream(kPath) << script; }

std::string run(const std::string& options = "") {
  return shell(fmt::format("{} run {} {}", NETBATCH_BINARY, options, kPath));
}

// How many changing requests a run sends.
std::string requests() {
  return shell(fmt::format("{} run --stats {} 2>&1 | awk '/^requests/ {{print $2}}'", NETBATCH_BINARY, kPath));
}

// The script does something, and no more when it is run again.
void check_settles(const std::string& script) {
  write(script);
  CHECK(run() == "");
  CHECK(requests() == "0\n");
}

std::string links() { return shell("ip -br link | awk '$1 != \"lo\" {print $1}' | sort | tr '\\n' ' '"); }

}  // namespace

TEST_CASE("ensure: containers on a bridge") {
  in_sandbox({"veth", "bridge"}, [] {
    check_settles(R"(
link ensure br0 type bridge stp_state 0 {
  up
  mtu 1500
  addrgenmode none
  alias "the bridge"
  addr 10.0.0.1/16
  addr fd00::1/64 nodad
}
for c in web db {
  netns ensure $c
  link ensure v$c master br0 up type veth peer {
    name eth0
    netns $c
    mtu 1400
    up
    addr 10.0.0.2/16
    route default via 10.0.0.1
  }
  netns $c {
    link ensure lo up
    route ensure 10.9.0.0/16 nexthop via 10.0.0.1 weight 2 nexthop via 10.0.0.3 dev eth0
    route ensure blackhole 10.77.0.0/16
    route ensure fd01::/64 dev eth0
    neigh ensure 10.0.0.7 lladdr 02:00:00:00:00:07 dev eth0
    neigh ensure proxy 10.0.0.11 dev eth0
  }
}
link ensure vweb type bridge_slave hairpin on cost 5
link property ensure dev br0 altname bridge-of-all
)");
    CHECK(shell("ip -n web route show 10.9.0.0/16 | grep -c nexthop") == "2\n");
    CHECK(shell("ip -n web -br -4 addr show dev eth0 | awk '{print $3}'") == "10.0.0.2/16\n");
    CHECK(shell("bridge -d link show dev vweb | grep -c 'hairpin on'") == "1\n");

    // What was disturbed comes back, the rest is left alone.
    shell(
        "ip link set vweb nomaster; ip link set br0 mtu 1300 alias x; ip -n db link set eth0 down;"
        "ip link property del dev br0 altname bridge-of-all; ip -n web addr del 10.0.0.2/16 dev eth0;"
        "ip -n web neigh del proxy 10.0.0.11 dev eth0");
    CHECK(run() == "");
    CHECK(requests() == "0\n");
    CHECK(shell("ip -n web -br -4 addr show dev eth0 | awk '{print $3}'") == "10.0.0.2/16\n");
    CHECK(shell("ip -n db route show default") == "default via 10.0.0.1 dev eth0 \n");
    CHECK(shell("ip -o link show bridge-of-all | grep -o 'mtu 1500'") == "mtu 1500\n");
  });
}

TEST_CASE("ensure: kinds with options") {
  in_sandbox({"veth", "vxlan", "macvlan"}, [] {
    check_settles(
        "link ensure m0 type veth peer name m1\n"
        "link ensure mv0 link m0 address 02:00:00:00:00:05 type macvlan mode bridge\n"
        "link ensure vx0 up type vxlan id 7 dstport 4789 dev m0 nolearning ttl inherit\n");
  });
}

TEST_CASE("ensure: only what differs is sent") {
  in_sandbox({"veth"}, [] {
    shell("ip link add v0 mtu 1400 type veth peer name v1; ip link set v0 up");
    write("link ensure v0 mtu 1400 txqueuelen 5 up type veth peer name v1\n");
    CHECK(requests() == "1\n");
    CHECK(requests() == "0\n");
    CHECK(shell("ip -o link show v0 | grep -o 'qlen 5'") == "qlen 5\n");
  });
}

TEST_CASE("ensure: after other statements of the script") {
  in_sandbox({"veth", "bridge"}, [] {
    write(
        "link add v0 type veth peer name v1\nlink set v0 name w0\nlink ensure w0 mtu 1300\nlink ensure v0 type bridge\n"
        "link del w0\nlink ensure v1 type bridge\nnetns add n\nnetns n { link ensure lo up }\n");
    CHECK(run() == "");
    CHECK(shell("ip -d -o link show type bridge | awk '{print $2}'") == "v0:\nv1:\n");
    CHECK(shell("ip -n n -o link show up | awk '{print $2}'") == "lo:\n");
  });
}

TEST_CASE("ensure: an address is made what it should be") {
  in_sandbox({"veth"}, [] {
    shell("ip link add v0 type veth peer name v1; ip addr add 10.0.0.1/24 dev v0; ip addr add fd00::1/64 dev v0");
    check_settles(
        "addr ensure 10.0.0.1/24 dev v0 label v0:x\naddr ensure fd00::1/80 dev v0 noprefixroute\n"
        "addr ensure 10.0.0.5/24 dev v0 brd +\n");
    CHECK(shell("ip -o -4 addr show dev v0 | grep -c 'v0:x'") == "1\n");
    CHECK(shell("ip -o -6 addr show dev v0 | grep -c 'fd00::1/80.*noprefixroute'") == "1\n");
    // What plan shows is what is left to do.
    write("addr ensure 10.0.0.5/24 dev v0\nlink ensure v1 mtu 1400\n");
    CHECK(shell(NETBATCH_BINARY " plan /run/ensure.nb") ==
          "against the present state:\n"
          "  /run/ensure.nb:1: addr ensure 10.0.0.5/24 dev v0: nothing to do\n"
          "  /run/ensure.nb:2: link ensure v1: set mtu 1500 → 1400\n"
          "group 1: 1 request\n  link set v1 mtu 1400\n1 statement in 1 request\n");
    CHECK(shell(NETBATCH_BINARY " plan --json /run/ensure.nb") ==
          R"({"file":"/run/ensure.nb","line":1,"column":1,"statement":"addr ensure 10.0.0.5/24 dev v0",)"
          R"("operation":"addr ensure 10.0.0.5/24 dev v0","netns":"","transaction":0,"requests":[],)"
          R"("irreversible":[],"effect":"nothing","changes":[]})"
          "\n"
          R"({"file":"/run/ensure.nb","line":2,"column":1,"statement":"link ensure v1 mtu 1400",)"
          R"("operation":"link set v1 mtu 1400","netns":"","transaction":0,"requests":[{"number":1,"kind":"plain"}],)"
          R"("irreversible":[],"effect":"change","changes":[{"option":"mtu","old":"1500","new":"1400"}]})"
          "\n");
  });
}

TEST_CASE("ensure: plan says what is different from what there is") {
  in_sandbox({"veth", "bridge"}, [] {
    shell(
        "ip link add br0 type bridge; ip link add br1 type bridge; ip link add v0 type veth peer name v1;"
        "ip link set v0 master br0 alias old; ip link set br0 up; ip link property add dev v0 altname one;"
        "ip addr add 10.0.0.1/24 dev br0; ip addr add fd00::1/64 dev br0; ip route add 10.9.0.0/16 via 10.0.0.2;"
        "ip neigh add 10.0.0.7 lladdr 02:00:00:00:00:07 dev br0; ip neigh add 10.0.0.8 lladdr 02:00:00:00:00:08 dev "
        "br0");
    write(R"(addr ensure fd00::1/80 dev br0
route ensure 10.9.0.0/16 via 10.0.0.3
route ensure 10.9.0.0/16 via 10.0.0.2 mtu 1400
route absent 10.10.0.0/16
neigh ensure 10.0.0.7 lladdr 02:00:00:00:00:07 dev br0
neigh ensure 10.0.0.8 lladdr 02:00:00:00:00:09 dev br0
link ensure v0 master br1 alias new txqueuelen 7
link ensure v0 nomaster
link ensure br0 type bridge stp_state 1 forward_delay 400
link ensure v1 group 5 multicast off
link property ensure dev v0 altname one
link property ensure dev v0 altname two
link property absent dev v0 altname one
)");
    CHECK(shell(NETBATCH_BINARY " plan /run/ensure.nb | sed '/^group/,$d; s,/run/ensure.nb,t,'") ==
          R"(against the present state:
  t:1: addr ensure fd00::1/80 dev br0: set prefix 64 → 80
  t:2: route ensure 10.9.0.0/16 via 10.0.0.3: set via 10.0.0.2 → 10.0.0.3
  t:3: route ensure 10.9.0.0/16 via 10.0.0.2 mtu 1400: change
  t:4: route absent 10.10.0.0/16: nothing to do
  t:5: neigh ensure 10.0.0.7 lladdr 02:00:00:00:00:07 dev br0: nothing to do
  t:6: neigh ensure 10.0.0.8 lladdr 02:00:00:00:00:09 dev br0: set lladdr 02:00:00:00:00:08 → 02:00:00:00:00:09
  t:7: link ensure v0: set master br0 → br1, alias old → new, txqueuelen 1000 → 7
  t:8: link ensure v0: set master none
  t:9: link ensure br0: set stp_state 0 → 1, forward_delay 1500 → 400
  t:10: link ensure v1: set group 0 → 5, multicast on → off
  t:11: link property ensure v0: nothing to do
  t:12: link property ensure v0: set altname none → two
  t:13: link property absent v0: set altname one → none
)");
  });
}

TEST_CASE("absent: all objects, twice") {
  in_sandbox({"veth"}, [] {
    shell(
        "ip netns add n; ip link add v0 type veth peer name v1; ip link add a0 type veth peer name a1; ip link set v0 "
        "up;"
        "ip addr add 10.0.0.1/24 dev v0; ip addr add fd00::1/64 dev v0; ip route add 10.9.0.0/16 via 10.0.0.2;"
        "ip neigh add 10.0.0.7 lladdr 02:00:00:00:00:07 dev v0; ip link property add dev v0 altname other");
    check_settles(
        "route absent 10.9.0.0/16\nneigh absent 10.0.0.7 dev v0\naddr absent 10.0.0.1/24 dev v0\n"
        "addr absent fd00::1 dev v0\nlink property absent dev v0 altname other\nlink absent a0\nlink absent a1\n"
        "netns absent n\naddr absent 10.0.0.1 dev nothing\nlink absent nothing\n-n nowhere link absent x\n");
    CHECK(links() == "v0@v1 v1@v0 ");
    CHECK(shell("ip route; ip neigh; ip netns; ip -br -4 addr show dev v0 | awk '{print $3}'") == "");
  });
}

TEST_CASE("errors: ensure") {
  in_sandbox({"veth"}, [] {
    shell("ip link add v0 type veth peer name v1; ip netns add n");
    write("link ensure a0 type veth peer name a1\nlink ensure v0 type bridge\n");
    CHECK(run() == R"(/run/ensure.nb:2:21: error: there is a link named 'v0' already, of kind 'veth'
    2 | link ensure v0 type bridge
      |                     ^~~~~~
rolled back 0 operations; nothing of this script remains
[exit 1]
)");
    CHECK(links() == "v0@v1 v1@v0 ");
    CHECK(run("--on-error stop 2>/dev/null") == "[exit 1]\n");
    CHECK(links() == "a0@a1 a1@a0 v0@v1 v1@v0 ");

    write("link ensure v0 type veth peer name v2\n");
    CHECK(run() == R"(/run/ensure.nb:1:36: error: there is a link named 'v0' already, but 'v2' is not its peer
    1 | link ensure v0 type veth peer name v2
      |                                    ^~
rolled back 0 operations; nothing of this script remains
[exit 1]
)");
    write("-n n link ensure v7 up\n");
    CHECK(run() ==
          R"(/run/ensure.nb:1:18: error: no link named 'v7' in namespace 'n', and without 'type' none can be made
    1 | -n n link ensure v7 up
      |                  ^~
rolled back 0 operations; nothing of this script remains
[exit 1]
)");
    write("link ensure v0 numtxqueues 3 type veth\n");
    CHECK(
        run() ==
        R"(/run/ensure.nb:1:16: error: the link 'v0' is there already, with another 'numtxqueues', which cannot be changed
    1 | link ensure v0 numtxqueues 3 type veth
      |                ^~~~~~~~~~~~~
rolled back 0 operations; nothing of this script remains
[exit 1]
)");
    write("link ensure lo type bridge\n");
    CHECK(run() == R"(/run/ensure.nb:1:21: error: there is a link named 'lo' already, which is not of kind 'bridge'
    1 | link ensure lo type bridge
      |                     ^~~~~~
rolled back 0 operations; nothing of this script remains
[exit 1]
)");
    write("link ensure v0 type bridge_slave hairpin on\n");
    CHECK(run() == R"(/run/ensure.nb:1:21: error: the link 'v0' is not a port of a bridge
    1 | link ensure v0 type bridge_slave hairpin on
      |                     ^~~~~~~~~~~~
rolled back 0 operations; nothing of this script remains
[exit 1]
)");
    write("-n nowhere link ensure v0 up\n");
    CHECK(shell(NETBATCH_BINARY " run /run/ensure.nb 2>&1 | head -n 1") ==
          "/run/ensure.nb:1:1: error: no namespace named 'nowhere'\n");
    write("link property ensure dev v8 altname x\n");
    CHECK(shell(NETBATCH_BINARY " run /run/ensure.nb 2>&1 | head -n 1") ==
          "/run/ensure.nb:1:26: error: no link named 'v8'\n");
  });
}

TEST_CASE("errors: ensure in a later piece of a long script takes back what the earlier ones have done") {
  in_sandbox({"veth"}, [] {
    write(
        "link add a0 type veth peer name a1\n"
        "for i in 2..131072 { link set lo alias x }\n"
        "link ensure v7 up\n");
    CHECK(run() == R"(/run/ensure.nb:3:13: error: no link named 'v7', and without 'type' none can be made
    3 | link ensure v7 up
      |             ^~
rolled back 131072 operations; nothing of this script remains
[exit 1]
)");
    CHECK(links() == "");
    CHECK(shell("ip -o link show lo | grep -c alias") == "0\n[exit 1]\n");
  });
}
