// The whole printed plan of each script. What may be fused, placed, grouped and put off, and what may not: DESIGN
// sections 3 and 5.
#include "interpreter/planner.hpp"

#include <doctest/doctest.h>

#include "interpreter/program.hpp"

using namespace netbatch;

namespace {

std::string plan_of(std::string script, PlannerOptions options = {}) {
  Program program({});
  REQUIRE(program.load("test.nb", "\n" + std::move(script)));
  Operations operations;
  program.next(operations, 1'000'000);
  REQUIRE(program.errors.empty());
  return "\n" + to_string(make_plan(operations, program.namespaces, options), operations, program.namespaces);
}

}  // namespace

TEST_CASE("planner: sets of a link that the script creates go into its creation") {
  CHECK(plan_of(R"(link add v type veth peer name p
link set v mtu 1400
link set v address 02:00:00:00:00:01
link set v up
)") == R"(
group 1: 1 request
  link add v mtu 1400 address 02:00:00:00:00:01 up type veth peer name p   <- 1 2 3 4
4 statements in 1 request
)");
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 up
link set d0 group 5
link set d0 txqueuelen 100
link set d0 alias hello
)") == R"(
group 1: 2 requests
  link add d0 up group 5 txqueuelen 100 type dummy   <- 1 2 3 4
  link set d0 alias hello
5 statements in 2 requests
)");
}

TEST_CASE("planner: a veth peer takes its options at creation, but not its up") {
  CHECK(plan_of(R"(link add v type veth peer name p
link set p mtu 1400
link set p address 02:00:00:00:00:01
link set p up
)") == R"(
group 1: 2 requests
  link add v type veth peer name p mtu 1400 address 02:00:00:00:00:01   <- 1 2 3
  link set p up
4 statements in 2 requests
)");
  CHECK(plan_of(R"(netns add lab
link add v0 type veth peer name p0
link set p0 netns lab
-n lab link set p0 name eth0 mtu 1400
-n lab link set eth0 up
)") == R"(
group 1: 1 request
  netns add lab
group 2: 1 request
  link add v0 type veth peer name eth0 netns lab mtu 1400   <- 2 3 4
group 3: 1 request in namespace 'lab'
  link set eth0 up
5 statements in 3 requests
)");
}

TEST_CASE("planner: a bridge's MTU is not fused: a set pins it") {
  CHECK(plan_of(R"(link add b0 type bridge
link set b0 mtu 9000
)") == R"(
group 1: 2 requests
  link add b0 type bridge
  link set b0 mtu 9000
2 statements in 2 requests
)");
}

TEST_CASE("planner: two values of one option stay two requests") {
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 mtu 1300
link set d0 mtu 1400
)") == R"(
group 1: 2 requests
  link add d0 mtu 1300 type dummy   <- 1 2
  link set d0 mtu 1400
3 statements in 2 requests
)");
  CHECK(plan_of(R"(link add b0 type bridge
link add b1 type bridge
link add d0 type dummy
link set d0 master b0
link set d0 master b1
)") == R"(
group 1: 4 requests
  link add b0 type bridge
  link add b1 type bridge
  link add d0 master b0 type dummy   <- 3 4
  link set d0 master b1
5 statements in 4 requests
)");
}

TEST_CASE("planner: a set is not fused ahead of what the kernel would apply after it") {
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 up
link set d0 mtu 1400
)") == R"(
group 1: 2 requests
  link add d0 up type dummy   <- 1 2
  link set d0 mtu 1400
3 statements in 2 requests
)");
  CHECK(plan_of(R"(link add br0 type bridge
link add d0 type dummy
link set d0 master br0
link set d0 mtu 1400
)") == R"(
group 1: 3 requests
  link add br0 type bridge
  link add d0 master br0 type dummy   <- 2 3
  link set d0 mtu 1400
4 statements in 3 requests
)");
  CHECK(plan_of(R"(link set w0 down
link set w0 address 02:00:00:00:00:01
link set w0 up
)") == R"(
group 1: 2 requests
  link set w0 down
  link set w0 address 02:00:00:00:00:01 up   <- 2 3
3 statements in 2 requests
)");
}

TEST_CASE("planner: a rename is pulled into the creation, and the first name must be free") {
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 name e0
link set e0 up
)") == R"(
group 1: 1 request
  link add e0 up type dummy   <- 1 2 3
3 statements in 1 request
)");
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 name e0
link add d0 type dummy
link set d0 up
)") == R"(
group 1: 2 requests
  link add e0 type dummy   <- 1 2
  link add d0 up type dummy   <- 3 4
4 statements in 2 requests
)");
}

TEST_CASE("planner: a rename stays where it is when its name is used in between, or the link has labels") {
  CHECK(plan_of(R"(link add d0 type dummy
link del e0
link set d0 name e0
)") == R"(
group 1: 3 requests
  link add d0 type dummy
  link del e0
  link set d0 name e0
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add d0 type dummy
addr add 10.0.0.1/24 dev d0
link set d0 name e0
)") == R"(
group 1: 3 requests
  link add d0 type dummy
  addr add 10.0.0.1/24 dev d0
  link set d0 name e0
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add t0 type dummy
link del x0
link set t0 name y0
)") == R"(
group 1: 3 requests
  link add t0 type dummy
  link del x0
  link set t0 name y0
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add d0 type dummy
link add m0 link d0 type macvlan
link add t0 type dummy
link del d0
link set t0 name m0
)") == R"(
group 1: 4 requests
  link add d0 type dummy
  link add m0 link d0 type macvlan
  link add t0 type dummy
  link del d0
group 2: 1 request
  link set t0 name m0
5 statements in 5 requests
)");
}

TEST_CASE("planner: a move becomes a creation in place") {
  CHECK(plan_of(R"(netns add c
link add v type veth peer name p
link set p netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 1 request
  link add v type veth peer name p netns c   <- 2 3
3 statements in 2 requests
)");
  CHECK(plan_of(R"(netns add c
link add d0 type dummy
link set d0 netns c name eth0 up
)") == R"(
group 1: 1 request
  netns add c
group 2: 1 request
  link add eth0 netns c up type dummy   <- 2 3
3 statements in 2 requests
)");
  CHECK(plan_of(R"(netns add c
link add d0 type dummy
link add x0 link d0 type vlan id 5
link set x0 netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 2 requests
  link add d0 type dummy
  link add x0 link d0 netns c type vlan id 5   <- 3 4
4 statements in 3 requests
)");
  CHECK(plan_of(R"(netns add c
link add d0 type dummy
link add x0 link d0 type macvlan mode bridge
link set x0 netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 2 requests
  link add d0 type dummy
  link add x0 link d0 netns c type macvlan mode bridge   <- 3 4
4 statements in 3 requests
)");
}

TEST_CASE("planner: bridges and vxlans are not placed, nor is what was set up or enslaved first") {
  CHECK(plan_of(R"(netns add c
link add b0 type bridge
link set b0 netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 2 requests
  link add b0 type bridge
  link set b0 netns c
3 statements in 3 requests
)");
  CHECK(plan_of(R"(netns add c
link add x0 type vxlan id 5 dev lo dstport 4789
link set x0 netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 2 requests
  link add x0 type vxlan id 5 dev lo dstport 4789 learning
  link set x0 netns c
3 statements in 3 requests
)");
  CHECK(plan_of(R"(netns add c
link add d0 type dummy
link set d0 up
link set d0 netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 2 requests
  link add d0 up type dummy   <- 2 3
  link set d0 netns c
4 statements in 3 requests
)");
  CHECK(plan_of(R"(netns add c
link add b0 type bridge
link add d0 type dummy
link set d0 master b0
link set d0 netns c
)") == R"(
group 1: 1 request
  netns add c
group 2: 3 requests
  link add b0 type bridge
  link add d0 master b0 type dummy   <- 3 4
  link set d0 netns c
5 statements in 4 requests
)");
}

TEST_CASE("planner: what follows a move is fused too") {
  CHECK(plan_of(R"(netns add c
link add b0 type bridge
link add d0 type dummy
link set d0 netns c
-n c link set d0 up
)") == R"(
group 1: 1 request
  netns add c
group 2: 2 requests
  link add b0 type bridge
  link add d0 netns c up type dummy   <- 3 4 5
5 statements in 3 requests
)");
}

TEST_CASE("planner: a link from outside is moved as it is") {
  CHECK(plan_of(R"(netns add lab
link set eth1 netns lab
-n lab link set eth1 up
-n lab addr add 10.0.0.1/8 dev eth1
)") == R"(
group 1: 1 request
  netns add lab
group 2: 1 request
  link set eth1 netns lab
group 3: 2 requests in namespace 'lab'
  link set eth1 up
  addr add 10.0.0.1/8 dev eth1
4 statements in 4 requests
)");
}

TEST_CASE("planner: deletes in a row are one group") {
  CHECK(plan_of(R"(link del a0
link del b0
link del c
)") == R"(
group 1: 1 request
  link del 3 links by group   <- 1 2 3
3 statements in 1 request
)");
  CHECK(plan_of(R"(link del v0
link del p0
)") == R"(
group 1: 1 request
  link del 2 links by group   <- 1 2
2 statements in 1 request
)");
}

TEST_CASE("planner: deletes that wait for the end are one group, too") {
  CHECK(plan_of(R"(link del v0
netns add c2
netns c2 { link add a0 type dummy; link set a0 alias new }
link del v1
link del v2
)",
                {.defer_deletes = true}) == R"(
group 1: 1 request
  netns add c2
group 2: 2 requests in namespace 'c2'
  link add a0 type dummy
  link set a0 alias new
group 3: 1 request
  link del 3 links by group   <- 1 5 6
6 statements in 4 requests
)");
}

TEST_CASE("planner: deletes are not grouped across what needs one of them, nor twice the same") {
  CHECK(plan_of(R"(link del a0
link del a0
link del b0
)") == R"(
group 1: 2 requests
  link del a0
  link del 2 links by group   <- 2 3
3 statements in 2 requests
)");
  CHECK(plan_of(R"(link del a0
link add a0 type dummy
link del a0
)") == R"(
group 1: 3 requests
  link del a0
  link add a0 type dummy
  link del a0
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link del a0
link set x0 up
link del b0
)") == R"(
group 1: 3 requests
  link del a0
  link set x0 up
  link del b0
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link del v0
-n lab link del v0
link del v1
)") == R"(
group 1: 1 request
  link del v0
group 2: 1 request in namespace 'lab'
  link del v0
group 3: 1 request
  link del v1
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add v0 type veth peer name p0
link del v0
link add v0 type dummy
link add p0 type dummy
)") == R"(
group 1: 4 requests
  link add v0 type veth peer name p0
  link del v0
  link add v0 type dummy
  link add p0 type dummy
4 statements in 4 requests
)");
}

TEST_CASE("planner: a bridge that the script creates goes up last") {
  CHECK(plan_of(R"(link add b0 type bridge
link set b0 up
link add v1 type veth peer name p1
link set v1 master b0
link set v1 up
link add v2 type veth peer name p2
link set v2 master b0 up
)") == R"(
group 1: 4 requests
  link add b0 type bridge
  link add v1 master b0 up type veth peer name p1   <- 3 4 5
  link add v2 master b0 up type veth peer name p2   <- 6 7
  link set b0 up   <- 2
7 statements in 4 requests
)");
  CHECK(plan_of(R"(link add br0 type bridge
link set br0 up
addr add 10.0.0.1/16 dev br0
link add v0 type veth peer name p0
link set v0 master br0 up
)") == R"(
group 1: 4 requests
  link add br0 type bridge
  addr add 10.0.0.1/16 dev br0
  link add v0 master br0 up type veth peer name p0   <- 4 5
  link set br0 up   <- 2
5 statements in 4 requests
)");
  CHECK(plan_of(R"(netns add lab
link add br0 type bridge
link set br0 up
-n lab link set lo up
-n lab route add 10.9.0.0/16 dev lo
link add v0 type veth peer name p0
link set v0 master br0 up
)") == R"(
group 1: 1 request
  netns add lab
group 2: 3 requests
  link add br0 type bridge
  link add v0 master br0 up type veth peer name p0   <- 6 7
  link set br0 up   <- 3
group 3: 2 requests in namespace 'lab'
  link set lo up
  route add 10.9.0.0/16 dev lo
7 statements in 6 requests
)");
}

TEST_CASE("planner: ports go up last when their bridge is up already") {
  CHECK(plan_of(R"(link add b0 type bridge
link set b0 up
addr add fe80::1/64 dev b0
link add v1 type veth peer name p1
link set v1 master b0
link set v1 up
link add v2 master b0 up type veth peer name p2
)") == R"(
group 1: 7 requests
  link add b0 type bridge
  link set b0 up   <- 2
  addr add fe80::1/64 dev b0
  link add v1 master b0 type veth peer name p1   <- 4 5
  link add v2 master b0 type veth peer name p2   <- 7
  link set v1 up   <- 6
  link set v2 up   <- 7
7 statements in 7 requests
)");
  CHECK(plan_of(R"(link add v1 type veth peer name p1
link set v1 master br0
link set v1 up
link add v2 type veth peer name p2
link set v2 master br0 up
)") == R"(
group 1: 4 requests
  link add v1 master br0 type veth peer name p1   <- 1 2
  link add v2 master br0 type veth peer name p2   <- 4 5
  link set v1 up   <- 3
  link set v2 up   <- 5
5 statements in 4 requests
)");
  CHECK(plan_of(R"(link add br0 type bridge
link set br0 up
addr add 10.0.0.1/16 dev br0
route add 10.9.0.0/16 via 10.0.0.2
link add v0 type veth peer name p0
link set v0 master br0 up
)") == R"(
group 1: 6 requests
  link add br0 type bridge
  addr add 10.0.0.1/16 dev br0
  link set br0 up   <- 2
  route add 10.9.0.0/16 via 10.0.0.2
  link add v0 master br0 type veth peer name p0   <- 5 6
  link set v0 up   <- 6
6 statements in 6 requests
)");
}

TEST_CASE("planner: a waiting bridge is set up before something is stacked on it") {
  CHECK(plan_of(R"(link add br0 type bridge
link set br0 up
link add br0.5 link br0 type vlan id 5
)") == R"(
group 1: 3 requests
  link add br0 type bridge
  link set br0 up   <- 2
  link add br0.5 link br0 type vlan id 5
3 statements in 3 requests
)");
}

TEST_CASE("planner: addresses, routes and down keep their order") {
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 up
addr add 10.0.0.1/24 dev d0
route add default via 10.0.0.2
link set d0 down
)") == R"(
group 1: 4 requests
  link add d0 up type dummy   <- 1 2
  addr add 10.0.0.1/24 dev d0
  route add default via 10.0.0.2
  link set d0 down
5 statements in 4 requests
)");
}

TEST_CASE("planner: a MAC that a macvlan has taken over is not set at creation") {
  CHECK(plan_of(R"(link add d0 type dummy
link add m0 link d0 type macvlan mode bridge
link set d0 address 02:00:00:00:00:01
)") == R"(
group 1: 3 requests
  link add d0 type dummy
  link add m0 link d0 type macvlan mode bridge
  link set d0 address 02:00:00:00:00:01
3 statements in 3 requests
)");
}

TEST_CASE("planner: bridge_slave options are requests of their own") {
  CHECK(plan_of(R"(link add b0 type bridge
link add d0 type dummy
link set d0 master b0
link set d0 type bridge_slave cost 5
link set d0 up
)") == R"(
group 1: 4 requests
  link add b0 type bridge
  link add d0 master b0 type dummy   <- 2 3
  link set d0 type bridge_slave cost 5
  link set d0 up
5 statements in 4 requests
)");
}

TEST_CASE("planner: barriers: what may touch any link") {
  CHECK(plan_of(R"(link add d0 type dummy
link add type veth
link set d0 up
)") == R"(
group 1: 1 request
  link add d0 type dummy
group 2: 1 request
  link add type veth
group 3: 1 request
  link set d0 up
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add d0 type dummy
link set if7 up
link set d0 up
)") == R"(
group 1: 1 request
  link add d0 type dummy
group 2: 1 request
  link set if7 up
group 3: 1 request
  link set d0 up
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add d0 type dummy
link set group 5 up
link set d0 up
)") == R"(
group 1: 1 request
  link add d0 type dummy
group 2: 1 request
  link set group 5 up
group 3: 1 request
  link set d0 up
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add d0 type dummy
link property add dev d0 altname e0
link set d0 up
)") == R"(
group 1: 1 request
  link add d0 type dummy
group 2: 1 request
  link property add d0 altname e0
group 3: 1 request
  link set d0 up
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add w0 type dummy
addr flush dev w0
link set w0 up
)") == R"(
group 1: 1 request
  link add w0 type dummy
group 2: 1 request
  addr flush dev w0
group 3: 1 request
  link set w0 up
3 statements in 3 requests
)");
  CHECK(plan_of(R"(link add q0 type nosuchkind
link set q0 up
)") == R"(
group 1: 1 request
  link add q0 type nosuchkind
group 2: 1 request
  link set q0 up
2 statements in 2 requests
)");
}

TEST_CASE("planner: barriers: a namespace that goes, or comes after it was used") {
  CHECK(plan_of(R"(netns add c
-n c link add d0 type dummy
netns del c
netns add c
-n c link add d0 type dummy
)") == R"(
group 1: 1 request
  netns add c
group 2: 1 request in namespace 'c'
  link add d0 type dummy
group 3: 1 request
  netns del c
group 4: 1 request
  netns add c
group 5: 1 request in namespace 'c'
  link add d0 type dummy
5 statements in 5 requests
)");
  CHECK(plan_of(R"(link add d0 type dummy
-n lab link set lo up
netns add lab
link set d0 netns lab
)") == R"(
group 1: 1 request
  link add d0 type dummy
group 2: 1 request in namespace 'lab'
  link set lo up
group 3: 1 request
  netns add lab
group 4: 1 request
  link set d0 netns lab
4 statements in 4 requests
)");
}

TEST_CASE("planner: requests of one namespace are one group") {
  CHECK(plan_of(R"(netns add a
netns add b
-n a link add d0 type dummy
-n b link add d0 type dummy
-n a link set d0 up
-n b link set d0 up
)") == R"(
group 1: 2 requests
  netns add a
  netns add b
group 2: 1 request in namespace 'a'
  link add d0 up type dummy   <- 3 5
group 3: 1 request in namespace 'b'
  link add d0 up type dummy   <- 4 6
6 statements in 4 requests
)");
  CHECK(plan_of(R"(ip -n a link set lo up
ip netns exec a ip link set eth0 up
netns a { link set lo up }
)") == R"(
group 1: 3 requests in namespace 'a'
  link set lo up
  link set eth0 up
  link set lo up
3 statements in 3 requests
)");
}

TEST_CASE("planner: a namespace by its PID") {
  CHECK(plan_of(R"(link add v type veth peer name p
link set p netns 1
)") == R"(
group 1: 1 request
  link add v type veth peer name p netns 1   <- 1 2
2 statements in 1 request
)");
}

TEST_CASE("planner: sets of a link that was there are one request") {
  CHECK(plan_of(R"(link set d0 mtu 1400
link set d0 alias x0
link set d0 up
link set e0 mtu 1400
)") == R"(
group 1: 2 requests
  link set d0 mtu 1400 alias x0 up   <- 1 2 3
  link set e0 mtu 1400
4 statements in 2 requests
)");
}

TEST_CASE("planner: containers") {
  CHECK(plan_of(R"(netns add c1
link add v1 type veth peer name p1
link set p1 netns c1
-n c1 link set p1 name eth0
link set v1 master br0
link set v1 up
-n c1 link set lo up
-n c1 link set eth0 up
-n c1 addr add 10.0.0.1/16 dev eth0
-n c1 route add default via 10.0.0.2
netns add c2
link add v2 type veth peer name p2
link set p2 netns c2
-n c2 link set p2 name eth0
link set v2 master br0
link set v2 up
-n c2 link set lo up
-n c2 link set eth0 up
-n c2 addr add 10.0.0.1/16 dev eth0
-n c2 route add default via 10.0.0.2
)") == R"(
group 1: 2 requests
  netns add c1
  netns add c2
group 2: 2 requests
  link add v1 master br0 type veth peer name eth0 netns c1   <- 2 3 4 5
  link add v2 master br0 type veth peer name eth0 netns c2   <- 12 13 14 15
group 3: 4 requests in namespace 'c1'
  link set lo up
  link set eth0 up
  addr add 10.0.0.1/16 dev eth0
  route add default via 10.0.0.2
group 4: 4 requests in namespace 'c2'
  link set lo up
  link set eth0 up
  addr add 10.0.0.1/16 dev eth0
  route add default via 10.0.0.2
group 5: 2 requests
  link set v1 up   <- 6
  link set v2 up   <- 16
20 statements in 14 requests
)");
}

TEST_CASE("planner: a name freed in one namespace by a delete in another") {
  CHECK(plan_of(R"(-n a link set q0 up
link del v
-n a link add p type dummy
)") == R"(
group 1: 1 request in namespace 'a'
  link set q0 up
group 2: 1 request
  link del v
group 3: 1 request in namespace 'a'
  link add p type dummy
3 statements in 3 requests
)");
}

TEST_CASE("planner: statements are printed as ip has them") {
  CHECK(plan_of(R"(route replace 10.0.0.0/8 dev lo metric 5
addr add 10.0.0.1 peer 10.0.0.2/30 dev lo label lo:1
addr del 10.0.0.1/8 dev lo
addr flush dev lo to 10.0.0.0/8
)") == R"(
group 1: 3 requests
  route replace 10.0.0.0/8 dev lo metric 5
  addr add 10.0.0.1 peer 10.0.0.2/30 dev lo label lo:1
  addr del 10.0.0.1/8 dev lo
group 2: 1 request
  addr flush to 10.0.0.0/8 dev lo
4 statements in 4 requests
)");
}

TEST_CASE("planner: without planning, one request per statement, in the script's order") {
  CHECK(plan_of(R"(link add d0 type dummy
link set d0 up
-n lab link set lo up
link set d0 mtu 1400
link del d0
link del d1
)",
                {.plain = true}) == R"(
group 1: 2 requests
  link add d0 type dummy
  link set d0 up
group 2: 1 request in namespace 'lab'
  link set lo up
group 3: 3 requests
  link set d0 mtu 1400
  link del d0
  link del d1
6 statements in 6 requests
)");
}

TEST_CASE("planner: two names of one namespace share its links") {
  const std::string script = R"(-n a link add d0 type dummy
-n b link del d0
-n a link set d0 up
)";
  // NsIds: a is 1, b is 2.
  CHECK(plan_of(script, {.same_as = {0, 1, 1}}) == R"(
group 1: 1 request in namespace 'a'
  link add d0 type dummy
group 2: 1 request in namespace 'b'
  link del d0
group 3: 1 request in namespace 'a'
  link set d0 up
3 statements in 3 requests
)");
  CHECK(plan_of(script, {.same_as = {0, 1, 2}}) == R"(
group 1: 1 request in namespace 'a'
  link add d0 up type dummy   <- 1 3
group 2: 1 request in namespace 'b'
  link del d0
3 statements in 2 requests
)");
}

TEST_CASE("planner: a move to another name of the same namespace moves nothing") {
  CHECK(plan_of(R"(-n a link add d0 type dummy
-n a link set d0 netns b
-n a link set d0 up
)",
                {.same_as = {0, 1, 1}}) == R"(
group 1: 1 request in namespace 'a'
  link add d0 type dummy
group 2: 1 request in namespace 'a'
  link set d0 netns b
group 3: 1 request in namespace 'a'
  link set d0 up
3 statements in 3 requests
)");
}

TEST_CASE("planner: nothing") { CHECK(plan_of("") == "\n0 statements in 0 requests\n"); }

TEST_CASE("planner: the names that a fused request passes over") {
  Program program({});
  REQUIRE(program.load("test.nb",
                       "netns add lab\nlink add t0 type dummy\nlink set t0 netns lab\n-n lab link set t0 name eth0\n"));
  Operations operations;
  program.next(operations, 100);
  const Plan plan = make_plan(operations, program.namespaces, {});
  REQUIRE(plan.requests.size() == 2);
  std::string names;
  for (const AbsentName& absent : plan.absent_of(plan.requests[1]))
    names += std::string(absent.name) + "@" + program.namespaces.name(absent.ns) + " ";
  CHECK(names == "t0@ t0@lab ");
}

TEST_CASE("planner: a flag whose bit means the opposite is printed in the script's words") {
  CHECK(plan_of("link set v0 arp off multicast off\n") == R"(
group 1: 1 request
  link set v0 arp off multicast off
1 statement in 1 request
)");
}

TEST_CASE("planner: a namespace still waits to be deleted when a link's deletion is needed") {
  CHECK(plan_of(R"(netns add c2
link add n3 type bridge
link add n0 up type veth peer name eth0
netns del c2
link del dev eth0
link set n3 mtu 1280
)",
                {.defer_deletes = true}) == R"(
group 1: 1 request
  netns add c2
group 2: 4 requests
  link add n3 type bridge
  link add n0 up type veth peer name eth0
  link del eth0
  link set n3 mtu 1280
group 3: 1 request
  netns del c2
6 statements in 6 requests
)");
}
