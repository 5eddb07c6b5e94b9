#include "interpreter/delete_history.hpp"

#include <doctest/doctest.h>

#include "interpreter/program.hpp"
#include "tests/support/fake_transport.hpp"

using namespace netbatch;
using netbatch::test::FakeTransport;

namespace {

// Is it a success when the script's last statement, a delete, finds no link? All before it were done, but `failed`.
bool tolerated(std::string script, std::vector<std::string> there, std::vector<size_t> failed = {}) {
  Program program({});
  REQUIRE(program.load("test.nb", std::move(script)));
  Operations operations;
  program.next(operations, 1000);
  REQUIRE(program.errors.empty());
  FakeTransport transport;
  for (const std::string& name : there) transport.links[{0, name}] = {1, 0};
  Stats stats;
  DeleteHistory history;
  history.begin(operations);
  history.look_up(transport, stats);
  Outcomes outcomes;
  outcomes.of.assign(operations.list.size(), Outcome::Done);
  for (const size_t i : failed) outcomes.of[i] = Outcome::Failed;
  return history.tolerates(static_cast<uint32_t>(operations.list.size() - 1), outcomes);
}

}  // namespace

TEST_CASE("delete history: a link that an earlier delete took along") {
  CHECK(tolerated("link del v0\nlink del p0\n", {"v0", "p0"}));
  CHECK(tolerated("link add v0 type veth peer name p0\nlink del v0\nlink del p0\n", {}));
  CHECK(tolerated("link add d0 type dummy\nlink add d0.5 link d0 type vlan id 5\nlink del d0\nlink del d0.5\n", {}));
  CHECK(tolerated("link add v0 type veth peer name p0\nlink set p0 name e0\nlink del v0\nlink del e0\n", {}));
  CHECK(tolerated("link property add dev v0 altname other\nlink del p0\nlink del other\n", {"v0", "p0"}));
  CHECK(tolerated("link add v0 type veth peer name p0 netns lab\nlink del v0\n-n lab link del p0\n", {}));
}

TEST_CASE("delete history: a link that was never there") {
  CHECK_FALSE(tolerated("link del p0\n", {}));
  CHECK_FALSE(tolerated("link del v0\nlink del p0\n", {"v0"}));
}

TEST_CASE("delete history: without an earlier delete, something else took the link") {
  CHECK_FALSE(tolerated("link set v0 up\nlink del p0\n", {"v0", "p0"}));
  CHECK_FALSE(tolerated("link del v0\nlink del p0\n", {"v0", "p0"}, {0}));
}

TEST_CASE("delete history: the same name twice") {
  CHECK_FALSE(tolerated("link del v0\nlink del v0\n", {"v0"}));
  CHECK(tolerated("link del p0\nlink del v0\nlink add v0 type veth peer name p0\nlink del p0\nlink del v0\n",
                  {"v0", "p0"}));
}

TEST_CASE("delete history: an add that failed made nothing") {
  CHECK_FALSE(tolerated("link add p0 type dummy\nlink del v0\nlink del p0\n", {"v0"}, {0}));
}

TEST_CASE("delete history: a name that was given up") {
  CHECK_FALSE(tolerated("link set p0 name e0\nlink del v0\nlink del p0\n", {"v0", "p0"}));
  CHECK_FALSE(tolerated("link set p0 netns lab\nlink del v0\nlink del p0\n", {"v0", "p0"}));
  CHECK_FALSE(tolerated("link property del dev p0 altname other\nlink del v0\nlink del other\n", {"v0", "other"}));
}

TEST_CASE("delete history: the same name in another namespace is another link") {
  CHECK_FALSE(tolerated("-n lab link add p0 type dummy\nlink del v0\nlink del p0\n", {"v0"}));
  CHECK_FALSE(tolerated("link add p0 type dummy\nlink set p0 netns lab\nlink del v0\nlink del p0\n", {"v0"}));
}

TEST_CASE("delete history: asks for the names once") {
  Program program({});
  REQUIRE(program.load("test.nb", "link del v0\nlink del p0\nlink set w0 up\n-n lab link del v0\n"));
  Operations operations;
  program.next(operations, 1000);
  FakeTransport transport;
  Stats stats;
  DeleteHistory history;
  history.begin(operations);
  CHECK(transport.log.empty());
  history.look_up(transport, stats);
  history.look_up(transport, stats);
  CHECK(stats.lookups == 3);
}
