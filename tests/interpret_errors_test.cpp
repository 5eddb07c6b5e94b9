// Every rule's whole diagnostic.
#include <doctest/doctest.h>

#include "tests/support/command_text.hpp"

using netbatch::tests::error_of;

TEST_CASE("errors: link options") {
  CHECK(error_of("link add a type veth") == R"(test.nb:1:12: error: 'address' needs a link-layer address, found 'type'
    1 | link add a type veth
      |            ^~~~
   'a' is short for 'address' here, as it is for ip; a link of that name is written 'dev a'
)");
  CHECK(error_of("link set v0 mtuu 1400") == R"(test.nb:1:13: error: unknown option 'mtuu' of 'link set'
    1 | link set v0 mtuu 1400
      |             ^~~~
   did you mean 'mtu'?
)");
  CHECK(error_of("link set v0 mtu abc") == R"(test.nb:1:17: error: 'mtu' needs a number, found 'abc'
    1 | link set v0 mtu abc
      |                 ^~~
)");
  CHECK(error_of("link set v0 mtu -1") == R"(test.nb:1:17: error: 'mtu' takes 0 to 2147483647, found '-1'
    1 | link set v0 mtu -1
      |                 ^~
)");
  CHECK(error_of("link set v0 mtu 99999999999") ==
        R"(test.nb:1:17: error: 'mtu' takes 0 to 2147483647, found '99999999999'
    1 | link set v0 mtu 99999999999
      |                 ^~~~~~~~~~~
)");
  CHECK(error_of("link add v0") == R"(test.nb:1:1: error: 'link add' needs 'type KIND'
    1 | link add v0
      | ^~~~~~~~~~~
   for example: link add v0 type veth peer name v1
)");
  CHECK(error_of("link set up") == R"(test.nb:1:1: error: 'link set' needs a link's name
    1 | link set up
      | ^~~~~~~~~~~
)");
  CHECK(error_of("link set v0 mtu") == R"(test.nb:1:13: error: 'mtu' needs a number, but the statement ends
    1 | link set v0 mtu
      |             ^~~
)");
  CHECK(error_of("link set v0 mtu 1 mtu 2") == R"(test.nb:1:19: error: 'mtu' is given twice
    1 | link set v0 mtu 1 mtu 2
      |                   ^~~
test.nb:1:13: note: the first one is here
    1 | link set v0 mtu 1 mtu 2
      |             ^~~~~
)");
  CHECK(error_of("link add v0 type veth mtu 1400") == R"(test.nb:1:23: error: 'mtu' is not an option of kind 'veth'
    1 | link add v0 type veth mtu 1400
      |                       ^~~
   'mtu' is an option of every link: it stands before 'type', or in a block after it
)");
  CHECK(error_of("link add v0 type veth peer type veth") == R"(test.nb:1:28: error: a peer has no 'type' of its own
    1 | link add v0 type veth peer type veth
      |                            ^~~~
)");
  CHECK(error_of("link add v0 type veth peer name v1 peer name v2") == R"(test.nb:1:36: error: 'peer' is given twice
    1 | link add v0 type veth peer name v1 peer name v2
      |                                    ^~~~
test.nb:1:23: note: the first one is here
    1 | link add v0 type veth peer name v1 peer name v2
      |                       ^~~~
)");
  CHECK(error_of("link add v0 { type veth peer { name eth0 \n mtu x \n up } }") ==
        R"(test.nb:2:6: error: 'mtu' needs a number, found 'x'
    2 |  mtu x 
      |      ^
)");
  CHECK(error_of("link add v0 type veth { peer { name eth0 { } } }") ==
        R"(test.nb:1:42: error: a '{' inside the block of 'peer' has no meaning
    1 | link add v0 type veth { peer { name eth0 { } } }
      |                                          ^
)");
  CHECK(error_of("link set v0 xdp off") == R"(test.nb:1:13: error: 'xdp' of 'link set' is not supported yet
    1 | link set v0 xdp off
      |             ^~~
)");
  CHECK(error_of("link set v0 vf 0 mac 1:2:3:4:5:6") == R"(test.nb:1:13: error: 'vf' of 'link set' is not supported yet
    1 | link set v0 vf 0 mac 1:2:3:4:5:6
      |             ^~
)");
  CHECK(error_of("link set v0 link-netns foo") ==
        R"(test.nb:1:13: error: 'link-netns' of 'link set' is not supported yet
    1 | link set v0 link-netns foo
      |             ^~~~~~~~~~
)");
  CHECK(error_of("link set v0 group nogroup") ==
        R"(test.nb:1:19: error: 'group' needs a group's name or number, found 'nogroup'
    1 | link set v0 group nogroup
      |                   ^~~~~~~
   names of groups are in /etc/iproute2/group
)");
  CHECK(error_of("link add group 5 type veth") == R"(test.nb:1:1: error: 'group' needs the new link's name beside it
    1 | link add group 5 type veth
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link set v0 index 5") ==
        R"(test.nb:1:13: error: 'index' is for a new link, or for a move to another namespace beside 'netns'
    1 | link set v0 index 5
      |             ^~~~~~~
)");
  CHECK(error_of("link add dev v0 name v1 type veth") ==
        R"(test.nb:1:22: error: a new link has one name, but there are 'v0' and 'v1'
    1 | link add dev v0 name v1 type veth
      |                      ^~
)");
  CHECK(error_of("link add v0 v1 type veth") == R"(test.nb:1:13: error: unknown option 'v1' of 'link add'
    1 | link add v0 v1 type veth
      |             ^~
   the link is named 'v0' already, so this is not its name
)");
  CHECK(error_of("link set dev a dev b") == R"(test.nb:1:16: error: 'dev' is given twice
    1 | link set dev a dev b
      |                ^~~
test.nb:1:14: note: the first one is here
    1 | link set dev a dev b
      |              ^
)");
  CHECK(error_of("link set v0 address zz") == R"(test.nb:1:21: error: 'address' needs a link-layer address, found 'zz'
    1 | link set v0 address zz
      |                     ^~
)");
  CHECK(error_of("link set v0 alias {") == R"(test.nb:1:13: error: 'alias' needs a text, found '{'
    1 | link set v0 alias {
      |             ^~~~~
)");
  CHECK(
      error_of("link set v0 state foo") ==
      R"(test.nb:1:19: error: 'state' needs one of 'UNKNOWN', 'NOTPRESENT', 'DOWN', 'LOWERLAYERDOWN', 'TESTING', 'DORMANT', 'UP', found 'foo'
    1 | link set v0 state foo
      |                   ^~~
)");
  CHECK(error_of("link set v0 arp maybe") == R"(test.nb:1:17: error: 'arp' needs 'on' or 'off', found 'maybe'
    1 | link set v0 arp maybe
      |                 ^~~~~
)");
  CHECK(error_of("link add v0 address 02:00:00:00:00:01:7:8:9 type veth peer address") ==
        R"(test.nb:1:60: error: 'address' needs a link-layer address, but the statement ends
    1 | link add v0 address 02:00:00:00:00:01:7:8:9 type veth peer address
      |                                                            ^~~~~~~
)");
  CHECK(error_of("link add v0 numtx 5 numrx 99999999999 type veth") ==
        R"(test.nb:1:27: error: 'numrxqueues' takes 0 to 2147483647, found '99999999999'
    1 | link add v0 numtx 5 numrx 99999999999 type veth
      |                           ^~~~~~~~~~~
)");
  CHECK(error_of("link set v0 carrier o") == R"(test.nb:1:21: error: 'carrier' needs 'on' or 'off', found 'o'
    1 | link set v0 carrier o
      |                     ^
)");
  CHECK(error_of("link add v0 type") == R"(test.nb:1:13: error: 'type' needs a link kind, but the statement ends
    1 | link add v0 type
      |             ^~~~
)");
  CHECK(error_of("link add v0 type veth peer {\n name a \n type veth }") ==
        R"(test.nb:3:2: error: a peer has no 'type' of its own
    3 |  type veth }
      |  ^~~~
)");
  CHECK(error_of("link add v0 type veth type veth") == R"(test.nb:1:23: error: 'type' is given twice
    1 | link add v0 type veth type veth
      |                       ^~~~
test.nb:1:18: note: the first one is here
    1 | link add v0 type veth type veth
      |                  ^~~~
)");
  CHECK(error_of("link set v0 addrgenmode foo") ==
        R"(test.nb:1:25: error: 'addrgenmode' needs one of 'eui64', 'none', 'stable_secret', 'random', found 'foo'
    1 | link set v0 addrgenmode foo
      |                         ^~~
)");
  CHECK(error_of("link set v0 numtxqueues x") == R"(test.nb:1:25: error: 'numtxqueues' needs a number, found 'x'
    1 | link set v0 numtxqueues x
      |                         ^
)");
  CHECK(error_of("link set v0 gso_max_segs 70000") ==
        R"(test.nb:1:26: error: 'gso_max_segs' takes 0 to 65535, found '70000'
    1 | link set v0 gso_max_segs 70000
      |                          ^~~~~
)");
  CHECK(error_of("link delete") == R"(test.nb:1:1: error: 'link delete' needs a link's name
    1 | link delete
      | ^~~~~~~~~~~
)");
  CHECK(error_of("link replace v0") == R"(test.nb:1:1: error: 'link replace' needs 'type KIND'
    1 | link replace v0
      | ^~~~~~~~~~~~~~~
   for example: link add v0 type veth peer name v1
)");
}

TEST_CASE("errors: names of links") {
  CHECK(error_of("link add abcdefghijklmnop type veth") ==
        R"(test.nb:1:10: error: link name 'abcdefghijklmnop' is 16 bytes long; the kernel takes at most 15
    1 | link add abcdefghijklmnop type veth
      |          ^~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link add v%d type veth") ==
        R"(test.nb:1:10: error: link name 'v%d' has a '%' in it, which makes the kernel choose a number
    1 | link add v%d type veth
      |          ^~~
   give the name in full, for example with a loop: for i in 0..9 { … v$i … }
)");
  CHECK(error_of("link add v0@v1 type veth") == R"(test.nb:1:10: error: link name 'v0@v1' has an '@' in it
    1 | link add v0@v1 type veth
      |          ^~~~~
   'v0@v1' is how ip shows a link and the link below it; its name is 'v0'
)");
  CHECK(error_of("link set v0@if5 up") == R"(test.nb:1:10: error: link name 'v0@if5' has an '@' in it
    1 | link set v0@if5 up
      |          ^~~~~~
   'v0@if5' is how ip shows a link and the link below it; its name is 'v0'
)");
  CHECK(error_of("link add all type veth") == R"(test.nb:1:10: error: 'all' is not a link name
    1 | link add all type veth
      |          ^~~
   /proc/sys/net/ipv4/conf has a directory of that name for all links
)");
  CHECK(error_of("link add \"a b\" type veth") ==
        R"(test.nb:1:11: error: link name 'a b' has a blank or control character in it
    1 | link add "a b" type veth
      |           ^~~
)");
  CHECK(error_of("link add a/b type veth") == R"(test.nb:1:10: error: link name 'a/b' has a '/' in it
    1 | link add a/b type veth
      |          ^~~
)");
  CHECK(error_of("link add \"\" type veth") == R"(test.nb:1:11: error: a link's name is not empty
    1 | link add "" type veth
      |           ^
)");
  CHECK(error_of("link add v:1 type veth") == R"(test.nb:1:10: error: link name 'v:1' has a ':' in it
    1 | link add v:1 type veth
      |          ^~~
)");
  CHECK(error_of("link add . type veth") == R"(test.nb:1:10: error: '.' is not a link name
    1 | link add . type veth
      |          ^
)");
  CHECK(error_of("link set h up") ==
        R"(test.nb:1:10: error: 'h' asks ip for its help; a link of that name is written 'dev h'
    1 | link set h up
      |          ^
)");
  CHECK(error_of("link add abcdefghijklmnopqrstuvwxyz type veth") ==
        R"(test.nb:1:10: error: link name 'abcdefghijklmnopqrstuvwxyz' is 26 bytes long; the kernel takes at most 15
    1 | link add abcdefghijklmnopqrstuvwxyz type veth
      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link set abcdefghijklmnopqrstuvwxyz name bcdefghijklmnopqrstuvwxyz") ==
        R"(test.nb:1:42: error: link name 'bcdefghijklmnopqrstuvwxyz' is 25 bytes long; the kernel takes at most 15
    1 | link set abcdefghijklmnopqrstuvwxyz name bcdefghijklmnopqrstuvwxyz
      |                                          ^~~~~~~~~~~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link set v0 name all") == R"(test.nb:1:18: error: 'all' is not a link name
    1 | link set v0 name all
      |                  ^~~
   /proc/sys/net/ipv4/conf has a directory of that name for all links
)");
  CHECK(error_of("link set v0 netns \"\"") ==
        R"(test.nb:1:20: error: 'netns' needs a namespace's name or a PID, found ''
    1 | link set v0 netns ""
      |                    ^
)");
}

TEST_CASE("errors: commands and objects") {
  CHECK(error_of("link show") ==
        R"(test.nb:1:1: error: 'link show' only reads; a script holds commands that change something
    1 | link show
      | ^~~~~~~~~
)");
  CHECK(error_of("link") == R"(test.nb:1:1: error: 'link show' only reads; a script holds commands that change something
    1 | link
      | ^~~~
)");
  CHECK(error_of("link frob x") == R"(test.nb:1:6: error: unknown command 'frob' of 'link'
    1 | link frob x
      |      ^~~~
)");
  CHECK(error_of("lnik add x") ==
        R"(test.nb:1:1: error: unknown object 'lnik'; a statement begins with link, addr, route, neigh or netns
    1 | lnik add x
      | ^~~~
   did you mean 'link'?
)");
  CHECK(error_of("neigh flush dev x") == R"(test.nb:1:1: error: 'neigh flush' is not supported yet
    1 | neigh flush dev x
      | ^~~~~~~~~~~
)");
  CHECK(error_of("rule add from 1.2.3.4") == R"(test.nb:1:1: error: 'rule' is not supported yet
    1 | rule add from 1.2.3.4
      | ^~~~
)");
  CHECK(error_of("monitor") ==
        R"(test.nb:1:1: error: 'monitor' only reads; a script holds commands that change something
    1 | monitor
      | ^~~~~~~
)");
  CHECK(error_of("bridge vlan add dev x vid 5") == R"(test.nb:1:1: error: commands of 'bridge' are not supported yet
    1 | bridge vlan add dev x vid 5
      | ^~~~~~
)");
  CHECK(error_of("ip netns exec foo sysctl -w x=1") ==
        R"(test.nb:1:19: error: netbatch starts no programs: 'netns exec' takes 'ip' only, found 'sysctl'
    1 | ip netns exec foo sysctl -w x=1
      |                   ^~~~~~
)");
  CHECK(error_of("ip netns exec foo ip link show") ==
        R"(test.nb:1:22: error: 'link show' only reads; a script holds commands that change something
    1 | ip netns exec foo ip link show
      |                      ^~~~~~~~~
)");
  CHECK(error_of("netns exec foo") == R"(test.nb:1:7: error: 'netns exec' needs a command after the namespace's name
    1 | netns exec foo
      |       ^~~~
)");
  CHECK(error_of("-n") == R"(test.nb:1:1: error: '-n' needs a namespace's name
    1 | -n
      | ^~
)");
  CHECK(error_of("ip -fam ipx link set x up") == R"(test.nb:1:9: error: '-fam' needs 'inet' or 'inet6', found 'ipx'
    1 | ip -fam ipx link set x up
      |         ^~~
)");
  CHECK(error_of("-batch foo") == R"(test.nb:1:1: error: '-batch' does not belong in a script
    1 | -batch foo
      | ^~~~~~
   another script is read with: include "FILE"
)");
  CHECK(error_of("-frob link set x up") == R"(test.nb:1:1: error: unknown option '-frob' of 'ip'
    1 | -frob link set x up
      | ^~~~~
)");
  CHECK(error_of("netns add") == R"(test.nb:1:1: error: 'netns add' needs a namespace's name
    1 | netns add
      | ^~~~~~~~~
)");
  CHECK(error_of("netns add a/b") == R"(test.nb:1:11: error: 'a/b' is not a namespace's name: it has to be a file name
    1 | netns add a/b
      |           ^~~
)");
  CHECK(error_of("netns add a b") == R"(test.nb:1:13: error: 'netns add' takes one name, found also 'b'
    1 | netns add a b
      |             ^
)");
  CHECK(error_of("netns set x 5") == R"(test.nb:1:1: error: 'netns set' is not supported yet
    1 | netns set x 5
      | ^~~~~~~~~
)");
  CHECK(error_of("netns list") ==
        R"(test.nb:1:1: error: 'netns list' only reads; a script holds commands that change something
    1 | netns list
      | ^~~~~~~~~~
)");
  CHECK(error_of("netns attach x 5") == R"(test.nb:1:1: error: 'netns attach' is not supported yet
    1 | netns attach x 5
      | ^~~~~~~~~~~~
)");
  CHECK(error_of("-force link set x up") == R"(test.nb:1:1: error: '-force' does not belong in a script
    1 | -force link set x up
      | ^~~~~~
   what happens after a failure is an option of netbatch: --on-error continue
)");
  CHECK(error_of("-batch x") == R"(test.nb:1:1: error: '-batch' does not belong in a script
    1 | -batch x
      | ^~~~~~
   another script is read with: include "FILE"
)");
  CHECK(error_of("ip") == R"(test.nb:1:1: error: the statement ends before an object such as 'link' or 'addr'
    1 | ip
      | ^~
)");
  CHECK(error_of("ip -4") == R"(test.nb:1:1: error: the statement ends before an object such as 'link' or 'addr'
    1 | ip -4
      | ^~~~~
)");
  CHECK(error_of("netns add ..") == R"(test.nb:1:11: error: '..' is not a namespace's name: it has to be a file name
    1 | netns add ..
      |           ^~
)");
  CHECK(error_of("netns delete") == R"(test.nb:1:1: error: 'netns delete' needs a namespace's name
    1 | netns delete
      | ^~~~~~~~~~~~
)");
  CHECK(error_of("netns foo") == R"(test.nb:1:7: error: unknown command 'foo' of 'netns'
    1 | netns foo
      |       ^~~
)");
  CHECK(error_of("netns exec") == R"(test.nb:1:7: error: 'netns exec' needs a namespace's name
    1 | netns exec
      |       ^~~~
)");
  CHECK(error_of("netns exec a tc qdisc") == R"(test.nb:1:14: error: commands of 'tc' are not supported yet
    1 | netns exec a tc qdisc
      |              ^~
)");
  CHECK(error_of("netns exec a ip") ==
        R"(test.nb:1:1: error: the statement ends before an object such as 'link' or 'addr'
    1 | netns exec a ip
      | ^~~~~~~~~~~~~~~
)");
}

TEST_CASE("errors: link property") {
  CHECK(error_of("link property foo") ==
        R"(test.nb:1:15: error: 'link property' needs 'add', 'del', 'ensure' or 'absent', found 'foo'
    1 | link property foo
      |               ^~~
)");
  CHECK(error_of("link property add v0 altname a/b") == R"(test.nb:1:30: error: link name 'a/b' has a '/' in it
    1 | link property add v0 altname a/b
      |                              ^~~
)");
  CHECK(error_of("link property add v0 altname b c") ==
        R"(test.nb:1:32: error: unknown option 'c' of 'link property add'
    1 | link property add v0 altname b c
      |                                ^
)");
  CHECK(error_of("link property") == R"(test.nb:1:1: error: 'link property' needs 'add', 'del', 'ensure' or 'absent'
    1 | link property
      | ^~~~~~~~~~~~~
)");
  CHECK(error_of("link property add altname x") == R"(test.nb:1:1: error: 'link property add' needs a link's name
    1 | link property add altname x
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
)");
  CHECK(error_of("link property add v0 altname") ==
        R"(test.nb:1:22: error: 'altname' needs a name, but the statement ends
    1 | link property add v0 altname
      |                      ^~~~~~~
)");
}
