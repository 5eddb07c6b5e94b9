// What `ensure` and `absent` become, against a state that the test makes up: what is read, and what is left to do.
#include "interpreter/settle.hpp"

#include <doctest/doctest.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "grammar/diagnostic.hpp"
#include "interpreter/plan.hpp"
#include "interpreter/program.hpp"
#include "netlink/message.hpp"
#include "tests/support/command_text.hpp"

namespace netbatch::tests {
namespace {

struct Present {
  int index = 0;
  std::string_view kind{};
  uint32_t flags = 0;
  uint32_t mtu = 1500;
  int lower = 0;
  int master = 0;
};

Message bytes_of(const netlink::MessageBuffer& buffer) {
  const auto bytes = buffer.bytes().subspan(sizeof(nlmsghdr));
  return {bytes.begin(), bytes.end()};
}

Message link_message(const Present& link) {
  netlink::MessageBuffer buffer(1024);
  auto* header = static_cast<ifinfomsg*>(buffer.begin(RTM_NEWLINK, 0, 0, sizeof(ifinfomsg)));
  header->ifi_index = link.index;
  header->ifi_flags = link.flags;
  buffer.put_u32(IFLA_MTU, link.mtu);
  if (link.lower != 0) buffer.put_u32(IFLA_LINK, static_cast<uint32_t>(link.lower));
  if (link.master != 0) buffer.put_u32(IFLA_MASTER, static_cast<uint32_t>(link.master));
  const size_t info = buffer.begin_nest(IFLA_LINKINFO);
  if (!link.kind.empty()) buffer.put_string(IFLA_INFO_KIND, link.kind);
  buffer.end_nest(info);
  buffer.end();
  return bytes_of(buffer);
}

Message address_message(int index, std::array<uint8_t, 4> address, uint8_t length) {
  netlink::MessageBuffer buffer(256);
  auto* header = static_cast<ifaddrmsg*>(buffer.begin(RTM_NEWADDR, 0, 0, sizeof(ifaddrmsg)));
  header->ifa_family = AF_INET;
  header->ifa_prefixlen = length;
  header->ifa_index = static_cast<uint32_t>(index);
  buffer.put(IFA_ADDRESS, address.data(), address.size());
  buffer.put(IFA_LOCAL, address.data(), address.size());
  buffer.end();
  return bytes_of(buffer);
}

class FakeState : public StateReader {
 public:
  std::map<std::string, Message> links;  // by "NS/NAME", NS the namespace's name
  std::vector<Message> addresses;
  std::vector<std::string> namespaces_there;
  std::string read;  // what was asked for

  const Namespaces* namespaces = nullptr;

  netlink::Result<uint32_t> identity(NsId ns) override {
    return has_netns(ns) ? netlink::Result<uint32_t>(ns) : netlink::Result<uint32_t>::failure(ENOENT);
  }
  bool has_netns(NsId ns) override {
    return ns == 0 ||
           std::find(namespaces_there.begin(), namespaces_there.end(), namespaces->name(ns)) != namespaces_there.end();
  }
  int read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) override {
    found.clear();
    for (const std::string_view name : names) {
      const std::string key = namespaces->name(ns) + "/" + std::string(name);
      read += key + " ";
      found.push_back(links[key]);
    }
    return 0;
  }
  int dump(NsId, uint16_t type, std::vector<Message>& found) override {
    read += "dump " + std::to_string(type) + " ";
    if (type == RTM_GETADDR) found = addresses;
    return 0;
  }
};

// The operations that remain, a line each; `N: message` for what is unsettled.
std::string settled(FakeState& state, const std::vector<std::string>& lines) {
  Namespaces namespaces;
  Operations operations;
  std::vector<grammar::Diagnostic> errors;
  std::vector<std::unique_ptr<CommandText>> texts;
  for (const std::string& line : lines) {
    texts.push_back(std::make_unique<CommandText>(line));
    REQUIRE(interpret(texts.back()->command, 0, namespaces, operations, errors));
  }
  state.namespaces = &namespaces;
  std::string result;
  for (const Unsettled& each : settle(operations, namespaces, state))
    result += std::to_string(each.operation) + ": " + each.error.message + "\n";
  for (const Operation& operation : operations.list) {
    if (operation.ns != 0) result += "[" + namespaces.name(operation.ns) + "] ";
    result += to_string(operation, operations, namespaces) + "\n";
  }
  return result;
}

// What the statements find different, as `plan` shows it.
std::string differences(FakeState& state, std::string script) {
  Program program({});
  REQUIRE(program.load("test.nb", std::move(script)));
  Operations operations;
  program.next(operations, 1000);
  REQUIRE(program.errors.empty());
  state.namespaces = &program.namespaces;
  std::vector<Difference> found;
  settle(operations, program.namespaces, state, &found);
  return to_string(found, operations, program.namespaces, program.sources);
}

}  // namespace

TEST_CASE("settle: without ensure and absent nothing is read") {
  FakeState state;
  CHECK(settled(state, {"link del v0", "link add v0 type bridge"}) == "link del v0\nlink add v0 type bridge\n");
  CHECK(state.read == "");
}

TEST_CASE("settle: a link that is not there is made, and one that is there is set") {
  FakeState state;
  CHECK(settled(state, {"link ensure b0 mtu 1400 type bridge"}) == "link add b0 type bridge\nlink set b0 mtu 1400\n");
  CHECK(settled(state, {"link ensure m0 link eth0 mtu 1400 type macvlan"}) ==
        "link add m0 link eth0 mtu 1400 type macvlan\n");
  state.links["/b0"] = link_message({.index = 5, .kind = "bridge", .mtu = 1400});
  CHECK(settled(state, {"link ensure b0 mtu 1400 type bridge"}) == "");
  CHECK(settled(state, {"link ensure b0 mtu 1300 up type bridge"}) == "link set b0 mtu 1300 up\n");
}

TEST_CASE("settle: only what the script names is read, once") {
  FakeState state;
  settled(state, {"link ensure a0 master b0 type veth peer name a1", "link ensure a0 up", "link absent c0"});
  CHECK(state.read == "/a0 /a1 /b0 /c0 ");
}

TEST_CASE("settle: a master by its index") {
  FakeState state;
  state.links["/b0"] = link_message({.index = 5, .kind = "bridge"});
  state.links["/v0"] = link_message({.index = 6, .kind = "veth", .master = 5});
  CHECK(settled(state, {"link ensure v0 master b0"}) == "");
  CHECK(settled(state, {"link ensure v0 nomaster"}) == "link set v0 nomaster\n");
  state.links["/v0"] = link_message({.index = 6, .kind = "veth", .master = 7});
  CHECK(settled(state, {"link ensure v0 master b0"}) == "link set v0 master b0\n");
  CHECK(settled(state, {"link del b0", "link add b0 type bridge", "link ensure v0 master b0"}) ==
        "link del b0\nlink add b0 type bridge\nlink set v0 master b0\n");
}

TEST_CASE("settle: a pair is compared at both ends") {
  FakeState state;
  state.namespaces_there = {"c1"};
  state.links["/v0"] = link_message({.index = 6, .kind = "veth", .lower = 2});
  state.links["c1/eth0"] = link_message({.index = 2, .kind = "veth", .mtu = 1400, .lower = 6});
  CHECK(settled(state, {"link ensure v0 type veth peer name eth0 netns c1 mtu 1400"}) == "");
  CHECK(settled(state, {"link ensure v0 type veth peer name eth0 netns c1 mtu 1300"}) ==
        "[c1] link set eth0 mtu 1300\n");
  CHECK(settled(state, {"link ensure v0 type veth peer name other netns c1"}) ==
        "0: there is a link named 'v0' already, but 'other' in namespace 'c1' is not its peer\n");
}

TEST_CASE("settle: what the statements before have done") {
  FakeState state;
  state.links["/v0"] = link_message({.index = 6, .kind = "veth", .lower = 7});
  state.links["/v1"] = link_message({.index = 7, .kind = "veth", .lower = 6});
  state.links["/m1"] = link_message({.index = 8, .kind = "macvlan", .lower = 7});
  CHECK(settled(state, {"link del v0", "link ensure v1 type bridge"}) == "link del v0\nlink add v1 type bridge\n");
  CHECK(settled(state, {"link absent v0", "link absent v1", "link absent m1"}) == "link del v0\n");
  CHECK(settled(state, {"link set v0 name w0", "link ensure v0 type bridge", "link ensure w0 mtu 1500"}) ==
        "link set v0 name w0\nlink add v0 type bridge\nlink set w0 mtu 1500\n");
  CHECK(settled(state, {"link add b0 type bridge", "link ensure b0 type veth"}) ==
        "1: there is a link named 'b0' already, of kind 'bridge'\nlink add b0 type bridge\n");
  CHECK(settled(state, {"netns add n", "-n n link ensure lo up", "netns ensure n", "netns absent n",
                        "netns absent n"}) == "netns add n\n[n] link set lo up\nnetns del n\n");
}

TEST_CASE("settle: a link moves where it should be only when it has no kind in the script") {
  FakeState state;
  state.namespaces_there = {"c1"};
  state.links["/v0"] = link_message({.index = 6, .kind = "veth"});
  CHECK(settled(state, {"link ensure v0 netns c1"}) == "link set v0 netns c1\n");
  CHECK(settled(state, {"link ensure v0 netns c1 type bridge"}) == "link add v0 netns c1 type bridge\n");
  state.links["c1/v0"] = link_message({.index = 9, .kind = "bridge"});
  CHECK(settled(state, {"link ensure v0 netns c1 type bridge"}) == "");
}

TEST_CASE("settle: addresses") {
  FakeState state;
  state.links["/v0"] = link_message({.index = 6, .kind = "veth"});
  state.addresses = {address_message(6, {10, 0, 0, 1}, 24), address_message(7, {10, 0, 0, 2}, 24)};
  CHECK(settled(state, {"addr ensure 10.0.0.1/24 dev v0"}) == "");
  CHECK(settled(state, {"addr ensure 10.0.0.2/24 dev v0"}) == "addr add 10.0.0.2/24 dev v0\n");
  CHECK(settled(state, {"addr ensure 10.0.0.1/24 dev v0 metric 5"}) == "addr replace 10.0.0.1/24 dev v0 metric 5\n");
  CHECK(settled(state, {"addr ensure 10.0.0.1/24 dev v0 label v0:x"}) ==
        "addr del 10.0.0.1/24 dev v0\naddr add 10.0.0.1/24 dev v0 label v0:x\n");
  CHECK(settled(state, {"addr absent 10.0.0.1 dev v0"}) == "addr del 10.0.0.1/24 dev v0\n");
  CHECK(settled(state, {"addr absent 10.0.0.1/16 dev v0"}) == "");
  CHECK(settled(state, {"link set v0 down", "addr ensure 10.0.0.1/24 dev v0"}) ==
        "link set v0 down\naddr replace 10.0.0.1/24 dev v0\n");
}

TEST_CASE("settle: what is different, attribute by attribute") {
  FakeState state;
  state.namespaces_there = {"c1"};
  state.links["/br0"] = link_message({.index = 5, .kind = "bridge"});
  state.links["/v0"] = link_message({.index = 6, .kind = "veth", .lower = 2, .master = 5});
  state.links["c1/eth0"] = link_message({.index = 2, .kind = "veth", .flags = IFF_UP, .mtu = 1400, .lower = 6});
  CHECK(differences(state, R"(
link ensure v0 mtu 1500
link ensure v0 mtu 1400 up alias x address 02:00:00:00:00:01 arp off nomaster
link ensure v0 mtu 1300
link ensure v1 type dummy
link add d0 type dummy
-n c1 link ensure eth0 down
link absent br0
link absent br1
link ensure v9 up
netns ensure c1
netns ensure c2
netns absent c1
)") == R"(against the present state:
  test.nb:2: link ensure v0: nothing to do
  test.nb:3: link ensure v0: set mtu 1500 → 1400, down → up, alias none → x, address none → 02:00:00:00:00:01, arp on → off, master if5 → none
  test.nb:4: link ensure v0: set mtu 1300
  test.nb:5: link ensure v1: make
  test.nb:7: link ensure eth0 in namespace 'c1': set up → down
  test.nb:8: link absent br0: delete
  test.nb:9: link absent br1: nothing to do
  test.nb:10: link ensure v9: cannot be made so
  test.nb:11: netns ensure c1: nothing to do
  test.nb:12: netns ensure c2: make
  test.nb:13: netns absent c1: delete
)");
  CHECK(differences(state, "link ensure v0 mtu 1450 type veth peer { name eth0; netns c1; mtu 1450; down }\n") ==
        "against the present state:\n"
        "  test.nb:1: link ensure v0: set mtu 1500 → 1450; set eth0: mtu 1400 → 1450, up → down\n");
}

TEST_CASE("settle: what is different in an address") {
  FakeState state;
  state.links["/v0"] = link_message({.index = 6, .kind = "veth"});
  state.addresses = {address_message(6, {10, 0, 0, 1}, 24), address_message(6, {10, 0, 0, 3}, 24)};
  CHECK(differences(state, R"(addr ensure 10.0.0.1/24 dev v0
addr ensure 10.0.0.1/24 dev v0 metric 5
addr ensure 10.0.0.3/24 dev v0 label v0:x
addr ensure 10.0.0.2/24 dev v0
addr absent 10.0.0.9 dev v0
)") == R"(against the present state:
  test.nb:1: addr ensure 10.0.0.1/24 dev v0: nothing to do
  test.nb:2: addr ensure 10.0.0.1/24 dev v0 metric 5: set metric none → 5
  test.nb:3: addr ensure 10.0.0.3/24 dev v0 label v0:x: set label none → v0:x
  test.nb:4: addr ensure 10.0.0.2/24 dev v0: make
  test.nb:5: addr absent 10.0.0.9/32 dev v0: nothing to do
)");
}

TEST_CASE("settle: plain statements are no differences") {
  FakeState state;
  CHECK(differences(state, "link add v0 type dummy\nlink del v0\n") == "");
  CHECK(state.read == "");
}

}  // namespace netbatch::tests
