// What a rollback could not take back: of each script, what `plan` says.
#include "interpreter/irreversible.hpp"

#include <doctest/doctest.h>

#include "interpreter/program.hpp"

using namespace netbatch;

namespace {

std::string losses(std::string script, size_t piece = 1'000'000) {
  Program program({});
  REQUIRE(program.load("test.nb", std::move(script)));
  IrreversibleFinder finder(program.namespaces);
  IrreversibleList list;
  Operations operations;
  do {
    operations.clear();
    program.next(operations, piece);
    list.add(finder.find(operations), operations, program.namespaces);
  } while (!operations.list.empty());
  REQUIRE(program.errors.empty());
  return list.text(program.sources);
}

}  // namespace

TEST_CASE("irreversible: a deletion of what was there before") {
  CHECK(losses("link del v1\n"
               "link del group 7\n"
               "netns c1 { link del eth0 }\n"
               "netns del old\n") ==
        R"(what a rollback cannot take back:
  test.nb:1: link del v1
    it is made again with new counters and learned state, without its tc settings and forwarding entries
  test.nb:2: link del group 7
    it is made again with new counters and learned state, without its tc settings and forwarding entries
  test.nb:3: link del eth0 in namespace 'c1'
    it is made again with new counters and learned state, without its tc settings and forwarding entries
  test.nb:4: netns del old
    netbatch holds it until the run has ended, as far as the limit of open files allows; after a kill -9 it is gone, with what was in it
)");
}

TEST_CASE("irreversible: what the script has made is no loss, wherever it has gone") {
  const std::string script =
      "netns add c1\n"
      "link add v1 type veth peer name p1\n"
      "link add v2 type veth peer { name eth0; netns c1 }\n"
      "link set p1 netns c1 name eth1\n"
      "-n c1 link set eth1 down address 02:00:00:00:00:01 nomaster\n"
      "-n c1 link set eth0 name eth2\n"
      "-n c1 neigh del 10.0.0.1 dev lo\n"
      "link property add dev v2 altname second\n"
      "link del v1\n"
      "link del second\n"
      "-n c1 link del eth2\n"
      "netns del c1\n";
  CHECK(losses(script) == "");
  CHECK(losses(script, 1) == "");
  // The names are free now, so what has them next is not the script's.
  CHECK(losses("link add v1 type dummy\nlink del v1\nlink del v1\n") ==
        R"(what a rollback cannot take back:
  test.nb:3: link del v1
    it is made again with new counters and learned state, without its tc settings and forwarding entries
)");
}

TEST_CASE("irreversible: settings of a link that was there") {
  CHECK(losses("link set br0 address 02:00:00:00:00:01\n"
               "link set p0 nomaster\n"
               "link set p1 down\n"
               "link set p2 netns c1\n"
               "link set p3 type bridge_slave fdb_flush\n"
               "neigh del 10.0.0.1 dev br0\n"
               "link set br0 up mtu 1400 alias x\n"
               "addr del 10.0.0.1/24 dev br0\n") ==
        R"(what a rollback cannot take back:
  test.nb:1: link set br0 address 02:00:00:00:00:01
    a bridge or a VLAN keeps the old address as a fixed one: it no longer follows its ports, or the link below
  test.nb:2: link set p0 nomaster
    a port of a bridge comes back without its forwarding entries and VLANs
  test.nb:3: link set p1 down
    learned neighbours and forwarding entries are lost
  test.nb:4: link set p2 netns c1
    it comes back without its tc settings, forwarding entries and learned neighbours
  test.nb:5: link set p3 type bridge_slave fdb_flush
    the forwarding entries are lost
)");
}

TEST_CASE("irreversible: a link that was there goes with a namespace of the script's") {
  CHECK(losses("netns add c1\nlink set v1 netns c1\nnetns del c1\n") ==
        R"(what a rollback cannot take back:
  test.nb:2: link set v1 netns c1
    it comes back without its tc settings, forwarding entries and learned neighbours
  test.nb:3: netns del c1
    it is made again with new counters and learned state, without its tc settings and forwarding entries
)");
}

TEST_CASE("irreversible: a statement is listed once, and not without end") {
  CHECK(losses("for i in 1..4000 { link del v$i }\n") ==
        R"(what a rollback cannot take back:
  test.nb:1: link del v1, and 3999 more
    it is made again with new counters and learned state, without its tc settings and forwarding entries
)");
  std::string script;
  std::string expected = "what a rollback cannot take back:\n";
  for (int i = 1; i <= 22; ++i) {
    script += "netns del c" + std::to_string(i) + "\n";
    if (i > 20) continue;
    expected += "  test.nb:" + std::to_string(i) + ": netns del c" + std::to_string(i);
    expected +=
        "\n    netbatch holds it until the run has ended, as far as the limit of open files allows; after a kill -9 it "
        "is gone, with what was in it\n";
  }
  CHECK(losses(script) == expected + "  and 2 more statements\n");
}
