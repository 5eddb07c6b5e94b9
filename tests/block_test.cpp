// Lines inside the block of a link that are statements of their own.
#include <doctest/doctest.h>

#include "interpreter/plan.hpp"
#include "tests/support/command_text.hpp"

using netbatch::tests::error_of;

namespace netbatch::tests {
namespace {

// A line for each operation, with its namespace before it.
std::string meaning(const std::string& script) {
  const CommandText text(script);
  Namespaces namespaces;
  Operations operations;
  std::vector<grammar::Diagnostic> errors;
  if (!interpret(text.command, 0, namespaces, operations, errors)) return grammar::render(errors.at(0), text.sources);
  std::string lines;
  for (const Operation& operation : operations.list) {
    if (operation.ns != 0) lines += "[" + namespaces.name(operation.ns) + "] ";
    if (operation.verb == Verb::Ensure) lines += "ensure: ";
    lines += to_string(operation, operations, namespaces) + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("block: addresses and routes of a link") {
  CHECK(meaning("link add br0 type bridge {\nup\naddr 10.0.0.1/16\nroute 10.1.0.0/16 via 10.0.0.2\n}") ==
        "link add br0 up type bridge\n"
        "addr add 10.0.0.1/16 dev br0\n"
        "route add 10.1.0.0/16 via 10.0.0.2 dev br0\n");
  CHECK(meaning("link add v0 netns c1 type veth {\naddr 10.0.0.1/16 brd +\n}") ==
        "link add v0 netns c1 type veth\n"
        "[c1] addr add 10.0.0.1/16 dev v0 broadcast 10.0.255.255\n");
  CHECK(meaning("link set v0 {\nup\naddr fd00::1/64\n}") == "link set v0 up\naddr add fd00::1/64 dev v0\n");
  CHECK(meaning("link replace v0 type bridge {\naddr fd00::1/64\n}") ==
        "link replace v0 type bridge\naddr replace fd00::1/64 dev v0\n");
}

TEST_CASE("block: routes that have no link, or another one") {
  CHECK(meaning("link set v0 {\nroute blackhole 10.0.0.0/8\nroute 10.1.0.0/16 dev v1\n}") ==
        "link set v0\nroute add 10.0.0.0/8\nroute add 10.1.0.0/16 dev v1\n");
}

TEST_CASE("block: the peer, in its namespace, is set up before it gets addresses") {
  CHECK(meaning("link add v0 up type veth peer {\nname eth0\nnetns c1\nup\naddr 10.0.0.2/16\nroute default via "
                "10.0.0.1\n}") ==
        "link add v0 up type veth peer name eth0 netns c1\n"
        "[c1] link set eth0 up\n"
        "[c1] addr add 10.0.0.2/16 dev eth0\n"
        "[c1] route add default via 10.0.0.1 dev eth0\n");
  CHECK(meaning("link add v0 type veth peer {\nname v1\nup\naddrgenmode none\nmaster br0\n}") ==
        "link add v0 type veth peer name v1\nlink set v1 addrgenmode none master br0\nlink set v1 up\n");
  CHECK(meaning("link add v0 type veth peer name v1 up") == "link add v0 type veth peer name v1 up\n");
}

TEST_CASE("block: 'address' remains the link's own, and a value may be called addr") {
  CHECK(meaning("link set v0 {\naddress 2:0:0:0:0:1\nalias addr\n}") ==
        "link set v0 address 02:00:00:00:00:01 alias addr\n");
  CHECK(meaning("link set v0 addr 2:0:0:0:0:1") == "link set v0 address 02:00:00:00:00:01\n");
}

TEST_CASE("block: ensure goes on inside") {
  CHECK(meaning("link ensure v0 type veth peer {\nname v1\nup\naddr 10.0.0.1/16\n}") ==
        "ensure: link ensure v0 type veth peer name v1\n"
        "ensure: link ensure v1 up\n"
        "ensure: addr ensure 10.0.0.1/16 dev v1\n");
}

TEST_CASE("errors: lines in a block") {
  CHECK(error_of("link set v0 {\naddr 2:0:0:0:0:1\n}") ==
        R"(test.nb:2:6: error: '2:0:0:0:0:1' is neither an option of 'addr' nor an IP address
    2 | addr 2:0:0:0:0:1
      |      ^~~~~~~~~~~
   the link's own address is set with 'address'
)");
  CHECK(error_of("link set v0 {\naddr 10.0.0.1/8 dev v1\n}") ==
        R"(test.nb:2:17: error: an address inside the block of a link is that link's: leave 'dev' out
    2 | addr 10.0.0.1/8 dev v1
      |                 ^~~
)");
  CHECK(error_of("link add type veth {\naddr 10.0.0.1/8\n}") ==
        R"(test.nb:2:1: error: 'addr' in a block needs a name of the link
    2 | addr 10.0.0.1/8
      | ^~~~
)");
  CHECK(error_of("link add v0 type veth peer {\nup\n}") == R"(test.nb:2:1: error: 'up' needs a name of the peer
    2 | up
      | ^~
)");
  CHECK(error_of("link absent v0 {\nroute default\n}") ==
        R"(test.nb:2:1: error: 'route' says nothing about a link that is to be deleted
    2 | route default
      | ^~~~~
)");
  CHECK(error_of("link ensure up") == R"(test.nb:1:1: error: 'link ensure' needs a link's name
    1 | link ensure up
      | ^~~~~~~~~~~~~~
)");
  CHECK(error_of("link ensure group 5") == R"(test.nb:1:1: error: 'link ensure' needs a link's name
    1 | link ensure group 5
      | ^~~~~~~~~~~~~~~~~~~
)");
}

}  // namespace netbatch::tests
