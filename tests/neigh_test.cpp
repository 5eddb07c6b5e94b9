// `neigh` and the hops of a route: what they mean, and what is said of errors in them.
#include <doctest/doctest.h>
#include <linux/neighbour.h>

#include "interpreter/plan.hpp"
#include "tests/support/command_text.hpp"

using netbatch::tests::error_of;

namespace netbatch::tests {
namespace {

std::string meaning(const std::string& line, FamilyHeader* header = nullptr) {
  const CommandText text(line);
  Namespaces namespaces;
  Operations operations;
  std::vector<grammar::Diagnostic> errors;
  if (!interpret(text.command, 0, namespaces, operations, errors)) return grammar::render(errors.at(0), text.sources);
  if (header != nullptr) *header = operations.list.at(0).header;
  return to_string(operations.list.at(0), operations, namespaces);
}

}  // namespace

TEST_CASE("neigh: words") {
  FamilyHeader header;
  CHECK(meaning("n add 10.0.0.7 lladdr 2:0:0:0:0:7 dev v0", &header) ==
        "neigh add 10.0.0.7 lladdr 02:00:00:00:00:07 dev v0");
  CHECK(header.state == NUD_PERMANENT);
  CHECK(header.family == AF_INET);
  CHECK(meaning("neigh chg to fd00::7 ll null nud stale router dev v0", &header) == "neigh set fd00::7 dev v0");
  CHECK(header.state == NUD_STALE);
  CHECK(header.flags == NTF_ROUTER);
  CHECK(meaning("neigh repl prox 10.0.0.7", &header) == "neigh replace proxy 10.0.0.7");
  CHECK(header.flags == NTF_PROXY);
  CHECK(meaning("neigh add 10.0.0.7 dev v0 managed use extern", &header) == "neigh add 10.0.0.7 managed 1 dev v0");
  CHECK(header.state == NUD_NONE);
  CHECK(header.flags == (NTF_USE | NTF_EXT_LEARNED));
  CHECK(meaning("neigh del 10.0.0.7 dev v0 nud 0x40", &header) == "neigh del 10.0.0.7 dev v0");
  CHECK(header.state == NUD_NOARP);
}

TEST_CASE("errors: neigh") {
  CHECK(error_of("neigh add dev v0") == R"(test.nb:1:1: error: 'neigh add' needs an IP address
    1 | neigh add dev v0
      | ^~~~~~~~~~~~~~~~
)");
  CHECK(error_of("neigh add 10.0.0.7") == R"(test.nb:1:1: error: 'neigh add' needs 'dev LINK'
    1 | neigh add 10.0.0.7
      | ^~~~~~~~~~~~~~~~~~
)");
  CHECK(error_of("neigh add 10.0.0.7 dev v0 lladr 2:0:0:0:0:7") ==
        R"(test.nb:1:27: error: 'neigh add' has an address already, found 'lladr'
    1 | neigh add 10.0.0.7 dev v0 lladr 2:0:0:0:0:7
      |                           ^~~~~
   did you mean 'lladdr'?
)");
  CHECK(error_of("neigh add lladr 2:0:0:0:0:7") ==
        R"(test.nb:1:11: error: 'lladr' is neither an option of 'neigh add' nor an IP address
    1 | neigh add lladr 2:0:0:0:0:7
      |           ^~~~~
   did you mean 'lladdr'?
)");
  CHECK(error_of("neigh add 10.0.0.7 lladdr x dev v0") ==
        R"(test.nb:1:27: error: 'lladdr' needs a link-layer address, or 'null', found 'x'
    1 | neigh add 10.0.0.7 lladdr x dev v0
      |                           ^
)");
  CHECK(error_of("neigh add 10.0.0.7 nud 3 dev v0") ==
        R"(test.nb:1:24: error: 'nud' needs 'permanent', 'noarp', 'reachable', 'stale' or another state, found '3'
    1 | neigh add 10.0.0.7 nud 3 dev v0
      |                        ^
)");
}

TEST_CASE("route: hops") {
  CHECK(meaning("route add 10.0.0.0/8 nexthop via 10.0.0.2 dev v0 weight 2 nexthop via inet6 fd00::1 onlink") ==
        "route add 10.0.0.0/8 nexthop via 10.0.0.2 dev v0 weight 2 nexthop via fd00::1 onlink");
}

TEST_CASE("errors: hops of a route") {
  CHECK(error_of("route add 10.0.0.0/8 nexthop") ==
        R"(test.nb:1:22: error: 'nexthop' needs 'via ADDRESS' or 'dev LINK', but the statement ends
    1 | route add 10.0.0.0/8 nexthop
      |                      ^~~~~~~
)");
  CHECK(error_of("route add 10.0.0.0/8 nexthop via 10.0.0.1 weight 0") ==
        R"(test.nb:1:50: error: 'weight' needs a number from 1 to 256, found '0'
    1 | route add 10.0.0.0/8 nexthop via 10.0.0.1 weight 0
      |                                                  ^
)");
  CHECK(error_of("route add 10.0.0.0/8 nexthop via 10.0.0.1 weight 257") ==
        R"(test.nb:1:50: error: 'weight' takes 0 to 256, found '257'
    1 | route add 10.0.0.0/8 nexthop via 10.0.0.1 weight 257
      |                                                  ^~~
)");
  CHECK(error_of("route add 10.0.0.0/8 nexthop via 10.0.0.1 metric 5") ==
        R"(test.nb:1:43: error: unknown option 'metric' of 'nexthop'
    1 | route add 10.0.0.0/8 nexthop via 10.0.0.1 metric 5
      |                                           ^~~~~~
   the options of the route itself stand before its first 'nexthop'
)");
}

}  // namespace netbatch::tests
