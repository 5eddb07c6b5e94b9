#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "tests/compare/dump.hpp"
#include "tests/compare/state.hpp"
#include "tests/support/sandbox.hpp"

using netbatch::compare::State;
using netbatch::test::in_sandbox;
using netbatch::test::run_in_sandbox;
using netbatch::test::shell;

namespace {

const std::string kBinary = NETBATCH_BINARY;

// Addresses that are no random ones of their own are compared only where the script names them.
State state(const std::string& script) {
  return netbatch::compare::normalise(netbatch::compare::dump_namespaces(), script);
}

std::string joined(const State& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

State split(const std::string& text) {
  State lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string run(const std::string& script) {
  const std::string file = "/run/script.nb";
  std::ofstream(file) << script;
  return shell(fmt::format("{} run {} 2>&1", kBinary, file));
}

// What `commands` make is saved; another sandbox that runs the script is the same and is saved as the same script.
void check_saved(const std::string& commands, const std::string& arguments = "--all") {
  const auto first = run_in_sandbox([&] {
    const std::string said = shell(commands);
    if (!said.empty()) return "the commands failed: " + said;
    const std::string script = shell(fmt::format("{} save {}", kBinary, arguments));
    return script + "\f" + joined(state(script));
  });
  REQUIRE(first.status == 0);
  const size_t cut = first.text.find('\f');
  REQUIRE_MESSAGE(cut != std::string::npos, first.text);
  const std::string script = first.text.substr(0, cut);
  CAPTURE(script);
  const auto second = run_in_sandbox([&] {
    const std::string said = run(script);
    if (!said.empty()) return "the script failed: " + said;
    return shell(fmt::format("{} save {}", kBinary, arguments)) + "\f" + joined(state(script));
  });
  REQUIRE(second.status == 0);
  const size_t second_cut = second.text.find('\f');
  REQUIRE_MESSAGE(second_cut != std::string::npos, second.text);
  CHECK(second.text.substr(0, second_cut) == script);
  CHECK(netbatch::compare::difference(split(first.text.substr(cut + 1)), split(second.text.substr(second_cut + 1))) ==
        "");
}

}  // namespace

TEST_CASE("save: the words of a small state") {
  in_sandbox({"bridge", "veth"}, [] {
    CHECK(shell("ip netns add c1; ip link add br0 type bridge ageing_time 1000;"
                "ip link add v1 address 02:00:00:00:00:01 master br0 type veth peer name eth0 netns c1"
                "  address 02:00:00:00:00:02 mtu 1400;"
                "ip link set br0 up; ip addr add 10.0.0.1/24 dev br0; ip route add 10.8.0.0/16 via 10.0.0.8;"
                "ip -n c1 link set lo up")
              .empty());
    CHECK(shell(kBinary + " save --all") ==
          "netns add c1\n"
          "link add br0 type bridge ageing_time 1000\n"
          "link add v1 address 02:00:00:00:00:01 master br0 type veth "
          "peer { name eth0 netns c1 address 02:00:00:00:00:02 mtu 1400 }\n"
          "addr add 10.0.0.1/24 dev br0\n"
          "link set br0 up\n"
          "route add 10.8.0.0/16 via 10.0.0.8 dev br0\n"
          "netns c1 {\n"
          "  link set lo up\n"
          "}\n");
    CHECK(shell(kBinary + " save c1") ==
          "netns add c1\n"
          "netns c1 {\n"
          "  # link eth0: its peer is in a namespace that is not saved\n"
          "  link set lo up\n"
          "}\n");
    CHECK(shell(kBinary + " save c2 2>&1") ==
          "netbatch: cannot open namespace 'c2': No such file or directory\n[exit 2]\n");
  });
}

TEST_CASE("save: links that stand on links, in several namespaces") {
  in_sandbox({"bridge", "veth", "macvlan", "vxlan", "ifb"}, [] {
    check_saved(
        "ip netns add c1; ip netns add c2;"
        "ip link add br0 type bridge ageing_time 1000;"
        "ip link add v1 address 02:00:00:00:00:01 master br0 type veth peer name eth0 address 02:00:00:00:00:02"
        "  mtu 1400 netns c1;"
        "ip link add v2 mtu 1300 type veth peer name eth0 netns c2; ip link set v2 master br0 alias 'a $b';"
        "ip link add vx0 type vxlan id 7 remote 10.0.0.9 dstport 4789 dev br0;"
        "ip link add link vx0 name mv0 type macvlan mode bridge;"
        "ip link add ifb7 group 5 txqueuelen 100 type ifb; ip link property add dev ifb7 altname my-ifb;"
        "ip link add dev up type veth peer name xy; ip link set dev up promisc on;"
        "ip link set v1 type bridge_slave hairpin on cost 7;"
        "ip link set lo up; ip link set br0 up; ip link set v1 up; ip link set v2 up;"
        "ip -n c2 link add br0 type bridge mcast_snooping 0; ip -n c2 link set eth0 master br0;"
        "ip -n c2 link set br0 mtu 1200; ip link set ifb7 addrgenmode none; ip link set ifb7 up");
  });
}

TEST_CASE("save: addresses, routes and neighbours") {
  in_sandbox({"bridge", "veth"}, [] {
    check_saved(
        "ip netns add c1; ip link add br0 type bridge;"
        "ip link add v1 master br0 type veth peer name eth0 netns c1;"
        "ip link set lo up; ip link set br0 up; ip link set v1 up; ip -n c1 link set lo up;"
        "ip addr add 10.0.0.1/24 dev br0; ip addr add 10.0.0.2/24 brd + dev br0;"
        "ip addr add 10.1.0.1 peer 10.1.0.2/32 dev br0; ip addr add fd00::1/64 dev br0 nodad;"
        "ip addr add 10.2.0.1/24 dev br0 label br0:x; ip addr add 10.3.0.1/16 scope link dev br0 metric 9;"
        "ip route add 192.168.0.0/16 via 10.0.0.7 metric 5 mtu 1200 advmss 900;"
        "ip route add blackhole 10.9.0.0/16; ip route add unreachable 10.10.0.0/16 proto static;"
        "ip route add 172.16.0.0/12 table 100 nexthop via 10.0.0.8 weight 2 nexthop via 10.0.0.9;"
        "ip route add 172.17.0.0/16 via 172.30.0.1 dev br0 onlink; ip route add 10.11.0.0/16 dev br0 scope global;"
        "ip -6 route add default via fd00::9; ip -6 route add fd01::/64 dev br0 metric 7;"
        "ip neigh add 10.0.0.50 lladdr 02:00:00:00:00:50 dev br0 nud permanent;"
        "ip -n c1 link set eth0 up; ip -n c1 addr add 10.0.0.5/24 dev eth0;"
        "ip -n c1 route add default via 10.0.0.1 src 10.0.0.5");
  });
}

TEST_CASE("save: an empty state is an empty script") {
  in_sandbox({}, [] { CHECK(shell(kBinary + " save").empty()); });
}
