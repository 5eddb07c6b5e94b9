#include "interpreter/plan_json.hpp"

#include <doctest/doctest.h>

#include "interpreter/planner.hpp"
#include "interpreter/program.hpp"

using namespace netbatch;

TEST_CASE("plan --json: an object for each operation, with its place and its requests") {
  Program program({});
  REQUIRE(program.load("test.nb",
                       "netns add c1\n"
                       "for i in 1..1 {\n"
                       "  link add v$i type veth peer name \"p\xff\"\n"
                       "}\n"
                       "link set v1 mtu 1400\n"
                       "netns c1 { transaction { link set lo up } }\n"));
  Operations operations;
  program.next(operations, 100);
  REQUIRE(program.errors.empty());
  const Plan plan = make_plan(operations, program.namespaces, {});
  CHECK(
      to_json(plan, operations, program.namespaces, program.sources, 10, {}, {}) ==
      R"({"file":"test.nb","line":1,"column":1,"statement":"netns add c1","operation":"netns add c1","netns":"",)"
      R"("transaction":0,"requests":[{"number":11,"kind":"plain"}],"irreversible":[]})"
      "\n"
      R"({"file":"test.nb","line":3,"column":3,"statement":"link add v$i type veth peer name \")"
      "p\xef\xbf\xbd"
      R"(\"","operation":"link add v1 type veth peer name )"
      "p\xef\xbf\xbd"
      R"(","netns":"","transaction":0,"requests":[{"number":12,"kind":"fused"}],"irreversible":[]})"
      "\n"
      R"({"file":"test.nb","line":5,"column":1,"statement":"link set v1 mtu 1400",)"
      R"("operation":"link set v1 mtu 1400","netns":"","transaction":0,"requests":[{"number":12,"kind":"fused"}],"irreversible":[]})"
      "\n"
      R"({"file":"test.nb","line":6,"column":26,"statement":"link set lo up","operation":"link set lo up",)"
      R"("netns":"c1","transaction":1,"requests":[{"number":13,"kind":"plain"}],"irreversible":[]})"
      "\n");
}

TEST_CASE("plan --json: what a rollback cannot take back") {
  Program program({});
  REQUIRE(program.load("test.nb", "link del v1\n"));
  Operations operations;
  program.next(operations, 100);
  const Plan plan = make_plan(operations, program.namespaces, {});
  IrreversibleFinder finder(program.namespaces);
  CHECK(to_json(plan, operations, program.namespaces, program.sources, 0, finder.find(operations), {}) ==
        R"({"file":"test.nb","line":1,"column":1,"statement":"link del v1","operation":"link del v1","netns":"",)"
        R"("transaction":0,"requests":[{"number":1,"kind":"plain"}],"irreversible":[{"what":"deleted-link",)"
        R"("why":"it is made again with new counters and learned state, without its tc settings and forwarding )"
        R"(entries"}]})"
        "\n");
}
