// Every rule's whole diagnostic.
#include <doctest/doctest.h>

#include "tests/support/command_text.hpp"

using netbatch::tests::error_of;

TEST_CASE("errors: kinds") {
  CHECK(error_of("link add br0 type bridge prio 1 mtu 1400") ==
        R"(test.nb:1:33: error: 'mtu' is not an option of kind 'bridge'
    1 | link add br0 type bridge prio 1 mtu 1400
      |                                 ^~~
   'mtu' is an option of every link: it stands before 'type', or in a block after it
)");
  CHECK(error_of("link add x type foo bar 1") == R"(test.nb:1:21: error: netbatch has no table for options of kind 'foo'
    1 | link add x type foo bar 1
      |                     ^~~
)");
  CHECK(error_of("link add v0 type vlan id 5") == R"(test.nb:1:18: error: kind 'vlan' needs 'link DEV' before 'type'
    1 | link add v0 type vlan id 5
      |                  ^~~~
)");
  CHECK(error_of("link add link e name v0 type vlan id 70000") ==
        R"(test.nb:1:38: error: 'id' takes 0 to 65535, found '70000'
    1 | link add link e name v0 type vlan id 70000
      |                                      ^~~~~
)");
  CHECK(error_of("link add br0 type bridge { up \n mtu \n 1400 }") ==
        R"(test.nb:2:2: error: 'mtu' needs a number on the same line
    2 |  mtu 
      |  ^~~
)");
  CHECK(error_of("link set group 5 type bridge") == R"(test.nb:1:23: error: a whole group has no one 'type'
    1 | link set group 5 type bridge
      |                       ^~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 group 10.0.0.1") ==
        R"(test.nb:1:29: error: 'group' needs a multicast address; for a single host write 'remote'
    1 | link add vx type vxlan id 5 group 10.0.0.1
      |                             ^~~~~~~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 group 239.0.0.1") ==
        R"(test.nb:1:29: error: 'group' needs 'dev' beside it, the link to send multicasts on
    1 | link add vx type vxlan id 5 group 239.0.0.1
      |                             ^~~~~~~~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 remote 10.0.0.1 local fd00::1") ==
        R"(test.nb:1:45: error: 'local' and 'remote' are not of one family
    1 | link add vx type vxlan id 5 remote 10.0.0.1 local fd00::1
      |                                             ^~~~~~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 id 6") == R"(test.nb:1:29: error: 'id' is given twice
    1 | link add vx type vxlan id 5 id 6
      |                             ^~
test.nb:1:24: note: the first one is here
    1 | link add vx type vxlan id 5 id 6
      |                        ^~~~
)");
  CHECK(
      error_of("link add bo type bond mode foo") ==
      R"(test.nb:1:28: error: 'mode' needs one of 'balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb' or a number, found 'foo'
    1 | link add bo type bond mode foo
      |                            ^~~
)");
  CHECK(error_of("link add mv link x type macvlan mode private nopromisc") ==
        R"(test.nb:1:46: error: 'nopromisc' is for 'mode passthru' only
    1 | link add mv link x type macvlan mode private nopromisc
      |                                              ^~~~~~~~~
)");
  CHECK(error_of("link add link x name mv type macvlan nopromisc") ==
        R"(test.nb:1:38: error: 'nopromisc' is for 'mode passthru' only
    1 | link add link x name mv type macvlan nopromisc
      |                                      ^~~~~~~~~
)");
  CHECK(error_of("link add v0 type bridge { type veth }") == R"(test.nb:1:27: error: 'type' is given twice
    1 | link add v0 type bridge { type veth }
      |                           ^~~~
test.nb:1:18: note: the first one is here
    1 | link add v0 type bridge { type veth }
      |                  ^~~~~~
)");
  CHECK(error_of("link add link e name v0 type vlan ingress-qos-map") ==
        R"(test.nb:1:35: error: 'ingress-qos-map' needs one or more FROM:TO, but the statement ends
    1 | link add link e name v0 type vlan ingress-qos-map
      |                                   ^~~~~~~~~~~~~~~
)");
  CHECK(error_of("link add link e name v0 type vlan ingress-qos-map 1:x") ==
        R"(test.nb:1:51: error: 'ingress-qos-map' needs one or more FROM:TO, found '1:x'
    1 | link add link e name v0 type vlan ingress-qos-map 1:x
      |                                                   ^~~
)");
  CHECK(error_of("link add link e name v0 type vlan protocol foo") ==
        R"(test.nb:1:44: error: 'protocol' needs an Ethernet protocol such as '802.1Q' or '802.1ad', found 'foo'
    1 | link add link e name v0 type vlan protocol foo
      |                                            ^~~
)");
  CHECK(error_of("link add link e name v0 type vlan gvrp maybe") ==
        R"(test.nb:1:40: error: 'gvrp' needs 'on' or 'off', found 'maybe'
    1 | link add link e name v0 type vlan gvrp maybe
      |                                        ^~~~~
)");
  CHECK(error_of("link add link e name v0 type macvlan mode foo") ==
        R"(test.nb:1:43: error: 'mode' needs one of 'private', 'vepa', 'bridge', 'passthru', 'source', found 'foo'
    1 | link add link e name v0 type macvlan mode foo
      |                                           ^~~
)");
  CHECK(error_of("link add link e name v0 type macvlan flag foo") ==
        R"(test.nb:1:43: error: 'flag' needs 'nopromisc', 'nodst' or 'null', found 'foo'
    1 | link add link e name v0 type macvlan flag foo
      |                                           ^~~
)");
  CHECK(error_of("link add link e name v0 type macvlan macaddr foo") ==
        R"(test.nb:1:46: error: 'macaddr' needs 'add', 'del', 'set' or 'flush', found 'foo'
    1 | link add link e name v0 type macvlan macaddr foo
      |                                              ^~~
)");
  CHECK(error_of("link add link e name v0 type macvlan macaddr add 1:2") ==
        R"(test.nb:1:50: error: 'add' needs an Ethernet address, found '1:2'
    1 | link add link e name v0 type macvlan macaddr add 1:2
      |                                                  ^~~
)");
  CHECK(error_of("link add link e name v0 type ipvlan mode l4") ==
        R"(test.nb:1:42: error: 'mode' needs one of 'l2', 'l3', 'l3s', found 'l4'
    1 | link add link e name v0 type ipvlan mode l4
      |                                          ^~
)");
  CHECK(error_of("link add link e name v0 type ipvlan bridge vepa") == R"(test.nb:1:44: error: 'vepa' is given twice
    1 | link add link e name v0 type ipvlan bridge vepa
      |                                            ^~~~
test.nb:1:37: note: the first one is here
    1 | link add link e name v0 type ipvlan bridge vepa
      |                                     ^~~~~~
)");
  CHECK(error_of("link add name v0 type vrf table foo") ==
        R"(test.nb:1:33: error: 'table' needs a routing table's name or number, found 'foo'
    1 | link add name v0 type vrf table foo
      |                                 ^~~
)");
  CHECK(error_of("link add name v0 type bond arp_ip_target fd00::1") ==
        R"(test.nb:1:42: error: 'arp_ip_target' needs an IPv4 address, found 'fd00::1'
    1 | link add name v0 type bond arp_ip_target fd00::1
      |                                          ^~~~~~~
)");
  CHECK(error_of("link add name v0 type bond ad_actor_system x") ==
        R"(test.nb:1:44: error: 'ad_actor_system' needs a link-layer address, found 'x'
    1 | link add name v0 type bond ad_actor_system x
      |                                            ^
)");
  CHECK(error_of("link add ge type geneve remote 1.1.1.1") ==
        R"(test.nb:1:18: error: kind 'geneve' needs 'id VNI', or 'external'
    1 | link add ge type geneve remote 1.1.1.1
      |                  ^~~~~~
)");
  CHECK(error_of("link add ge type geneve id 5") == R"(test.nb:1:18: error: kind 'geneve' needs 'remote ADDRESS'
    1 | link add ge type geneve id 5
      |                  ^~~~~~
)");
  CHECK(error_of("link add ge type geneve id 5 external") ==
        R"(test.nb:1:25: error: 'external' and 'id' exclude each other
    1 | link add ge type geneve id 5 external
      |                         ^~~~
)");
  CHECK(error_of("link add ge type geneve id 5 remote 239.1.1.1") ==
        R"(test.nb:1:30: error: 'remote' needs a unicast address
    1 | link add ge type geneve id 5 remote 239.1.1.1
      |                              ^~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 16777216") ==
        R"(test.nb:1:27: error: 'id' takes 0 to 16777215, found '16777216'
    1 | link add vx type vxlan id 16777216
      |                           ^~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan external id 5") ==
        R"(test.nb:1:33: error: 'external' and 'id' exclude each other
    1 | link add vx type vxlan external id 5
      |                                 ^~~~
)");
  CHECK(error_of("link add vx type vxlan vnifilter id 5") ==
        R"(test.nb:1:24: error: 'vnifilter' needs 'external' beside it
    1 | link add vx type vxlan vnifilter id 5
      |                        ^~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan dstport 5") ==
        R"(test.nb:1:18: error: kind 'vxlan' needs 'id VNI', or 'external'
    1 | link add vx type vxlan dstport 5
      |                  ^~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 remote 239.1.1.1") ==
        R"(test.nb:1:29: error: 'remote' needs a unicast address; for multicast write 'group'
    1 | link add vx type vxlan id 5 remote 239.1.1.1
      |                             ^~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 local 239.1.1.1") ==
        R"(test.nb:1:29: error: 'local' needs an address that is not a multicast address
    1 | link add vx type vxlan id 5 local 239.1.1.1
      |                             ^~~~~~~~~~~~~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 ttl 256") == R"(test.nb:1:33: error: 'ttl' takes 0 to 255, found '256'
    1 | link add vx type vxlan id 5 ttl 256
      |                                 ^~~
)");
  CHECK(
      error_of("link add vx type vxlan id 5 tos foo") ==
      R"(test.nb:1:33: error: 'tos' needs a name of /etc/iproute2/rt_dsfield, a hexadecimal number or 'inherit', found 'foo'
    1 | link add vx type vxlan id 5 tos foo
      |                                 ^~~
)");
  CHECK(error_of("link add vx type vxlan id 5 port 5") ==
        R"(test.nb:1:29: error: 'port' needs two numbers, the lowest and the highest port, but the statement ends
    1 | link add vx type vxlan id 5 port 5
      |                             ^~~~
)");
  CHECK(error_of("link add vx type vxlan id 5 ageing foo") ==
        R"(test.nb:1:36: error: 'ageing' needs a number, found 'foo'
    1 | link add vx type vxlan id 5 ageing foo
      |                                    ^~~
)");
  CHECK(error_of("link add br0 type bridge no_linklocal_learn 300") ==
        R"(test.nb:1:45: error: 'no_linklocal_learn' takes 0 to 255, found '300'
    1 | link add br0 type bridge no_linklocal_learn 300
      |                                             ^~~
)");
}
