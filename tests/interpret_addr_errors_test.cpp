// Every rule's whole diagnostic.
#include <doctest/doctest.h>

#include "tests/support/command_text.hpp"

using netbatch::tests::error_of;

TEST_CASE("errors: addr") {
  CHECK(error_of("addr add 10.0.0.1/16") == R"(test.nb:1:1: error: 'addr add' needs 'dev LINK'
    1 | addr add 10.0.0.1/16
      | ^~~~~~~~~~~~~~~~~~~~
)");
  CHECK(error_of("addr add dev v0") == R"(test.nb:1:1: error: 'addr add' needs an address
    1 | addr add dev v0
      | ^~~~~~~~~~~~~~~
)");
  CHECK(
      error_of("addr add 10.0.0.1/33 dev v0") ==
      R"(test.nb:1:10: error: '10.0.0.1/33' has no valid prefix length: an IPv4 address takes /0 to /32, IPv6 /0 to /128
    1 | addr add 10.0.0.1/33 dev v0
      |          ^~~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.256 dev v0") ==
        R"(test.nb:1:10: error: '10.0.0.256' is neither an option of 'addr add' nor an IP address
    1 | addr add 10.0.0.256 dev v0
      |          ^~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1/24 10.0.0.2/24 dev v0") ==
        R"(test.nb:1:22: error: 'addr add' has an address already, found '10.0.0.2/24'
    1 | addr add 10.0.0.1/24 10.0.0.2/24 dev v0
      |                      ^~~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1/24 dev v0 lable x") ==
        R"(test.nb:1:29: error: 'addr add' has an address already, found 'lable'
    1 | addr add 10.0.0.1/24 dev v0 lable x
      |                             ^~~~~
   did you mean 'label'?
)");
  CHECK(error_of("addr add 10.0.0.1/24 dev v0 peer fd00::1") ==
        R"(test.nb:1:34: error: 'peer' needs an IPv4 address, found 'fd00::1'
    1 | addr add 10.0.0.1/24 dev v0 peer fd00::1
      |                                  ^~~~~~~
)");
  CHECK(error_of("addr add fd00::1/24 dev v0 brd +") == R"(test.nb:1:10: error: 'broadcast' is for IPv4 addresses only
    1 | addr add fd00::1/24 dev v0 brd +
      |          ^~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 valid_lft 0") ==
        R"(test.nb:1:26: error: 'valid_lft' 0 is no lifetime; to remove the address write 'addr del'
    1 | addr add 10.0.0.1 dev v0 valid_lft 0
      |                          ^~~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 valid_lft 5 preferred_lft 7") ==
        R"(test.nb:1:38: error: 'preferred_lft' is longer than 'valid_lft'
    1 | addr add 10.0.0.1 dev v0 valid_lft 5 preferred_lft 7
      |                                      ^~~~~~~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 scope foo") ==
        R"(test.nb:1:32: error: 'scope' needs 'global', 'link', 'host' or another scope's name or number, found 'foo'
    1 | addr add 10.0.0.1 dev v0 scope foo
      |                                ^~~
)");
  CHECK(error_of("addr flush") == R"(test.nb:1:1: error: 'addr flush' needs 'dev LINK'
    1 | addr flush
      | ^~~~~~~~~~
)");
  CHECK(error_of("addr flush dev v0 up") == R"(test.nb:1:19: error: 'up' of 'addr flush' is not supported yet
    1 | addr flush dev v0 up
      |                   ^~
)");
  CHECK(error_of("addr show") ==
        R"(test.nb:1:1: error: 'addr show' only reads; a script holds commands that change something
    1 | addr show
      | ^~~~~~~~~
)");
  CHECK(error_of("-6 addr add 10.0.0.1 dev v0") ==
        R"(test.nb:1:13: error: '10.0.0.1' is neither an option of 'addr add' nor an IPv6 address
    1 | -6 addr add 10.0.0.1 dev v0
      |             ^~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 autojoin") == R"(test.nb:1:10: error: 'autojoin' needs a multicast address
    1 | addr add 10.0.0.1 dev v0 autojoin
      |          ^~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 label abcdefghijklmnop") ==
        R"(test.nb:1:32: error: 'label' takes at most 15 bytes, found 16
    1 | addr add 10.0.0.1 dev v0 label abcdefghijklmnop
      |                                ^~~~~~~~~~~~~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 brd foo") == R"(test.nb:1:30: error: 'brd' needs an IPv4 address, found 'foo'
    1 | addr add 10.0.0.1 dev v0 brd foo
      |                              ^~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 brd + brd +") == R"(test.nb:1:32: error: 'brd' is given twice
    1 | addr add 10.0.0.1 dev v0 brd + brd +
      |                                ^~~
test.nb:1:26: note: the first one is here
    1 | addr add 10.0.0.1 dev v0 brd + brd +
      |                          ^~~~~
)");
  CHECK(error_of("addr add 10.0.0.1 dev v0 valid_lft 5 valid_lft 5") ==
        R"(test.nb:1:38: error: 'valid_lft' is given twice
    1 | addr add 10.0.0.1 dev v0 valid_lft 5 valid_lft 5
      |                                      ^~~~~~~~~
test.nb:1:26: note: the first one is here
    1 | addr add 10.0.0.1 dev v0 valid_lft 5 valid_lft 5
      |                          ^~~~~~~~~~~
)");
  CHECK(error_of("addr flush v0 foo") == R"(test.nb:1:15: error: unknown option 'foo' of 'addr flush'
    1 | addr flush v0 foo
      |               ^~~
   did you mean 'to'?
)");
  CHECK(error_of("addr del dev v0") == R"(test.nb:1:1: error: 'addr delete' needs an address
    1 | addr del dev v0
      | ^~~~~~~~~~~~~~~
)");
  CHECK(error_of("addr add any dev v0") ==
        R"(test.nb:1:10: error: 'any' is neither an option of 'addr add' nor an IP address
    1 | addr add any dev v0
      |          ^~~
   did you mean 'anycast'?
)");
  CHECK(error_of("addr save") ==
        R"(test.nb:1:1: error: 'addr save' only reads; a script holds commands that change something
    1 | addr save
      | ^~~~~~~~~
)");
}

TEST_CASE("errors: route") {
  CHECK(error_of("route add") == R"(test.nb:1:1: error: 'route add' needs a destination
    1 | route add
      | ^~~~~~~~~
   for example: route add 10.0.0.0/8 via 10.0.0.1, or route add default via 10.0.0.1
)");
  CHECK(error_of("route add 10.0.0.0/8 via") ==
        R"(test.nb:1:22: error: 'via' needs an IP address, but the statement ends
    1 | route add 10.0.0.0/8 via
      |                      ^~~
)");
  CHECK(error_of("route add 10.0.0.0/8 via foo") == R"(test.nb:1:26: error: 'via' needs an IPv4 address, found 'foo'
    1 | route add 10.0.0.0/8 via foo
      |                          ^~~
)");
  CHECK(error_of("route add 10.0.0.0/8 dve v0") ==
        R"(test.nb:1:22: error: 'route add' has a destination already, found 'dve'
    1 | route add 10.0.0.0/8 dve v0
      |                      ^~~
   did you mean 'dev'?
)");
  CHECK(error_of("route add 10.0.0.0/8 encap mpls 5 dev x") ==
        R"(test.nb:1:22: error: 'encap' of 'route add' is not supported yet
    1 | route add 10.0.0.0/8 encap mpls 5 dev x
      |                      ^~~~~
)");
  CHECK(error_of("route add 10.0.0.0/8 via 1.1.1.1 table foo") ==
        R"(test.nb:1:40: error: 'table' needs a routing table's name or number, found 'foo'
    1 | route add 10.0.0.0/8 via 1.1.1.1 table foo
      |                                        ^~~
)");
  CHECK(error_of("route add blackhole") ==
        R"(test.nb:1:11: error: 'blackhole' needs a destination after it, but the statement ends
    1 | route add blackhole
      |           ^~~~~~~~~
)");
  CHECK(error_of("route add defualt via 10.0.0.1") ==
        R"(test.nb:1:11: error: 'defualt' is neither an option of 'route add' nor an IP address
    1 | route add defualt via 10.0.0.1
      |           ^~~~~~~
   did you mean 'default'?
)");
  CHECK(error_of("route flush dev x") == R"(test.nb:1:1: error: 'route flush' is not supported yet
    1 | route flush dev x
      | ^~~~~~~~~~~
)");
  CHECK(error_of("route get 1.1.1.1") ==
        R"(test.nb:1:1: error: 'route get' only reads; a script holds commands that change something
    1 | route get 1.1.1.1
      | ^~~~~~~~~
)");
  CHECK(error_of("route add 10/8 10/8") == R"(test.nb:1:16: error: 'route add' has a destination already, found '10/8'
    1 | route add 10/8 10/8
      |                ^~~~
)");
  CHECK(error_of("route add 10/8 via 1.1.1.1 via 1.1.1.2") == R"(test.nb:1:28: error: 'via' is given twice
    1 | route add 10/8 via 1.1.1.1 via 1.1.1.2
      |                            ^~~
test.nb:1:16: note: the first one is here
    1 | route add 10/8 via 1.1.1.1 via 1.1.1.2
      |                ^~~~~~~~~~~
)");
  CHECK(error_of("route add 10/33 dev x") ==
        R"(test.nb:1:11: error: '10/33' has no valid prefix length: an IPv4 address takes /0 to /32, IPv6 /0 to /128
    1 | route add 10/33 dev x
      |           ^~~~~
)");
  CHECK(error_of("route add 10/8 dev x from foo") == R"(test.nb:1:27: error: 'from' needs an IPv4 address, found 'foo'
    1 | route add 10/8 dev x from foo
      |                           ^~~
)");
  CHECK(error_of("route add 10/8 dev x scope foo") ==
        R"(test.nb:1:28: error: 'scope' needs 'global', 'link', 'host' or another scope's name or number, found 'foo'
    1 | route add 10/8 dev x scope foo
      |                            ^~~
)");
  CHECK(error_of("route add 10/8 dev x tos zz") ==
        R"(test.nb:1:26: error: 'tos' needs a name of /etc/iproute2/rt_dsfield or a hexadecimal number, found 'zz'
    1 | route add 10/8 dev x tos zz
      |                          ^~
)");
  CHECK(error_of("route add 10/8 dev x proto foo") ==
        R"(test.nb:1:28: error: 'protocol' needs a routing protocol's name or number, found 'foo'
    1 | route add 10/8 dev x proto foo
      |                            ^~~
   'proto' is short for 'protocol' here, as it is for ip
)");
  CHECK(error_of("route add 10/8 dev x mtu foo") == R"(test.nb:1:26: error: 'mtu' needs a number, found 'foo'
    1 | route add 10/8 dev x mtu foo
      |                          ^~~
)");
  CHECK(error_of("route add 10/8 dev x hoplimit 256") == R"(test.nb:1:31: error: 'hoplimit' takes 0 to 255, found '256'
    1 | route add 10/8 dev x hoplimit 256
      |                               ^~~
)");
  CHECK(error_of("route add 10/8 dev x rtt 5h") ==
        R"(test.nb:1:26: error: 'rtt' needs a time such as '200ms', found '5h'
    1 | route add 10/8 dev x rtt 5h
      |                          ^~
)");
  CHECK(error_of("route add 10/8 dev x features foo") == R"(test.nb:1:31: error: 'features' needs 'ecn', found 'foo'
    1 | route add 10/8 dev x features foo
      |                               ^~~
)");
  CHECK(error_of("route add 10/8 dev x pref foo") ==
        R"(test.nb:1:27: error: 'pref' needs one of 'low', 'medium', 'high' or a number, found 'foo'
    1 | route add 10/8 dev x pref foo
      |                           ^~~
)");
  CHECK(error_of("route add 10/8 dev x realms a/b/c") ==
        R"(test.nb:1:29: error: 'realms' needs REALM or FROM/TO, found 'a/b/c'
    1 | route add 10/8 dev x realms a/b/c
      |                             ^~~~~
)");
  CHECK(error_of("route add 10/8 dev x nhid foo") == R"(test.nb:1:27: error: 'nhid' needs a number, found 'foo'
    1 | route add 10/8 dev x nhid foo
      |                           ^~~
)");
  CHECK(error_of("route add 10/8 dev x quickack 2") == R"(test.nb:1:31: error: 'quickack' takes 0 to 1, found '2'
    1 | route add 10/8 dev x quickack 2
      |                               ^
)");
  CHECK(error_of("route test 10/8 dev x") == R"(test.nb:1:1: error: 'route test' is not supported yet
    1 | route test 10/8 dev x
      | ^~~~~~~~~~
)");
  CHECK(error_of("-6 route add 10/8 dev x") ==
        R"(test.nb:1:14: error: '10/8' is neither an option of 'route add' nor an IPv6 address
    1 | -6 route add 10/8 dev x
      |              ^~~~
)");
}
