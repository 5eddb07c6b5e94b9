#include <doctest/doctest.h>

#include "interpreter/program.hpp"

using netbatch::Program;

namespace {

std::string check(std::string script) {
  Program program({});
  if (program.load("test.nb", std::move(script))) program.check_names();
  std::string text;
  for (const auto& error : program.errors) text += netbatch::grammar::render(error, program.sources);
  if (program.more_errors) text += "more\n";
  return text;
}

std::string headline(std::string script) {
  const std::string text = check(std::move(script));
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("check: a link that has been deleted") {
  CHECK(check("link add br0 type bridge\nlink del br0\nlink set br0 up\n") ==
        "test.nb:3:10: error: the link 'br0' has been deleted\n"
        "    3 | link set br0 up\n"
        "      |          ^~~\n"
        "test.nb:2:10: note: it was deleted here\n"
        "    2 | link del br0\n"
        "      |          ^~~\n");
  CHECK(
      check("for i in 1..3 {\n  netns c$i { link del v$i }\n}\naddr add 10.0.0.1/8 dev v2\naddr add 10.0.0.1/8 dev v4\n"
            "netns c2 {\n  link add w type vlan id 5\n  link add link v2 name v2.7 type vlan id 7\n}\n") ==
      "test.nb:7:19: error: kind 'vlan' needs 'link DEV' before 'type'\n"
      "    7 |   link add w type vlan id 5\n"
      "      |                   ^~~~\n"
      "test.nb:8:12: error: the link 'v2' in namespace 'c2' has been deleted\n"
      "    8 |   link add link v2 name v2.7 type vlan id 7\n"
      "      |            ^~~~~~~\n"
      "test.nb:2:24: note: it was deleted here\n"
      "    2 |   netns c$i { link del v$i }\n"
      "      |                        ^~~\n");
  CHECK(headline("link del k\nlink del k\n") == "test.nb:2:10: error: the link 'k' has been deleted");
  CHECK(headline("link del k\nroute add 10.0.0.0/8 dev k\n") == "test.nb:2:22: error: the link 'k' has been deleted");
  CHECK(headline("link del k\nlink set z master k\n") == "test.nb:2:12: error: the link 'k' has been deleted");
  CHECK(headline("link del k\nlink add v type vxlan id 5 dev k\n") ==
        "test.nb:2:28: error: the link 'k' has been deleted");
}

TEST_CASE("check: a link that has been renamed or moved") {
  CHECK(check("link add k type dummy\nlink set k name z\nlink set z mtu 1400\nlink set k up\n") ==
        "test.nb:4:10: error: the link 'k' has another name now\n"
        "    4 | link set k up\n"
        "      |          ^\n"
        "test.nb:2:10: note: it was renamed here\n"
        "    2 | link set k name z\n"
        "      |          ^\n");
  CHECK(check("netns add lab\nlink set eth1 netns lab\nlink set eth1 up\n-n lab link set eth1 up\n") ==
        "test.nb:3:10: error: the link 'eth1' is in another namespace now\n"
        "    3 | link set eth1 up\n"
        "      |          ^~~~\n"
        "test.nb:2:10: note: it was moved here\n"
        "    2 | link set eth1 netns lab\n"
        "      |          ^~~~\n");
}

TEST_CASE("check: a link that is made twice") {
  CHECK(check("link add k type dummy\nlink add k type bridge\n") ==
        "test.nb:2:10: error: there is a link named 'k' already\n"
        "    2 | link add k type bridge\n"
        "      |          ^\n"
        "test.nb:1:10: note: it was made here\n"
        "    1 | link add k type dummy\n"
        "      |          ^\n");
  CHECK(check("for i in 1..5 {\n  link add v type veth peer name p$i\n}\n") ==
        "test.nb:2:12: error: there is a link named 'v' already\n"
        "    2 |   link add v type veth peer name p$i\n"
        "      |            ^\n"
        "test.nb:2:12: note: it was made here\n"
        "    2 |   link add v type veth peer name p$i\n"
        "      |            ^\n"
        "   in the loop at test.nb:1 with i = 2\n");
  CHECK(headline("link add k type veth peer name z\nlink add z type dummy\n") ==
        "test.nb:2:10: error: there is a link named 'z' already");
  CHECK(headline("link add k type dummy\nlink add z type dummy\nlink set k name z\n") ==
        "test.nb:3:17: error: there is a link named 'z' already");
}

TEST_CASE("check: a link that would be its own") {
  CHECK(check("link set br0 master br0\n") ==
        "test.nb:1:14: error: the link 'br0' cannot be its own master\n"
        "    1 | link set br0 master br0\n"
        "      |              ^~~~~~~~~~\n");
  CHECK(check("link add link v name v type vlan id 5\n") ==
        "test.nb:1:10: error: the link 'v' cannot be the link below itself\n"
        "    1 | link add link v name v type vlan id 5\n"
        "      |          ^~~~~~\n");
  CHECK(check("link add v type veth peer name v\n") ==
        "test.nb:1:32: error: a link and its peer cannot both be named 'v'\n"
        "    1 | link add v type veth peer name v\n"
        "      |                                ^\n");
}

TEST_CASE("check: addresses of two families") {
  CHECK(headline("addr add 10.0.0.1/8 peer fd00::1 dev k\n") ==
        "test.nb:1:26: error: 'peer' needs an IPv4 address, found 'fd00::1'");
}

TEST_CASE("check: a name that grows too long in a loop") {
  CHECK(check("for i in 98..102 {\n  link add interface-num$i type dummy\n}\n") ==
        "test.nb:2:12: error: link name 'interface-num100' is 16 bytes long; the kernel takes at most 15\n"
        "    2 |   link add interface-num$i type dummy\n"
        "      |            ^~~~~~~~~~~~~~~\n"
        "   in the loop at test.nb:1 with i = 100\n");
}

TEST_CASE("check: nothing is said of names that may be right") {
  const char* const scripts[] = {
      "link set eth0 up\nlink set eth0 master br0\n",
      "link del k\nlink add k type dummy\nlink set k up\n",
      "link del k\nlink set z name k\nlink set k up\n",
      "link del k\nlink property add dev z altname k\nlink set k up\n",
      "link del k\nlink add z type veth peer name k\nlink set k up\n",
      "link del veth0\nlink add z type veth\nlink set veth0 up\n",
      "link del dummy1\nlink add type dummy\nlink set dummy1 up\n",
      "link del k\nlink set group 5 netns 1\nlink set k up\n",
      "-n lab link del k\nlink set k netns lab\n-n lab link set k up\n",
      "link set k netns lab\n-n lab link set k netns 1\nlink set k up\n",
      "link set k netns lab\n-n lab link set k netns /proc/1/ns/net\nlink set k up\n",
      "link set eth0 netns lab\nnetns del lab\nlink set eth0 up\n",
      "link add k type veth peer name z\nlink del k\nlink add z type dummy\n",
      "link add k type veth peer name z\nlink del k\nlink del z\n",
      "link add k type dummy\nlink add link k name w type vlan id 1\nlink del k\nlink add w type dummy\n",
      "link add k type dummy\nlink property add dev k altname x\nlink del x\nlink add k type dummy\n",
      "link set x name y\nlink set x up\n",  // x may be an alternative name
      "link add k type dummy\nlink del if7\nlink add k type dummy\n",
      "link add k type dummy\n-n lab link add k type dummy\n",
      "link add k netns lab type dummy\nlink add k type dummy\n",
      "link add v type veth peer name v netns lab\n",
      "link add v netns lab type veth peer name v\nlink add v type dummy\n",
      "link add link v name v netns lab type vlan id 5\n",
      "link add k type dummy\nlink replace k type dummy\n",
      "link add k type dummy\nlink set k netns lab\nlink add k type dummy\n",
      "link add k group 7 type dummy\nlink del group 7\nlink add k type dummy\n",
      "link add wg0 type wireguard\nlink add wg0 type dummy\n",
      "link add k type dummy\nnetns del lab\nlink add k type dummy\n",
  };
  for (const std::string script : scripts) {
    CAPTURE(script);
    CHECK(check(script) == "");
  }
}

TEST_CASE("check: at most 20 errors are shown") {
  std::string script = "link del k\n";
  for (int i = 0; i < 25; ++i) script += "link set k up\n";
  const std::string text = check(script);
  CHECK(text.ends_with("more\n"));
  CHECK(text.find("test.nb:21:10: error") != std::string::npos);
  CHECK(text.find("test.nb:22:10: error") == std::string::npos);
}

TEST_CASE("check: names are kept apart") {
  std::string script = "for i in 1..20000 { link add v$i type dummy }\nlink add v20001 type dummy\n";
  CHECK(check(script + "link add w1 type dummy\n").empty());
  CHECK(headline(script + "link add v1 type dummy\n") == "test.nb:3:10: error: there is a link named 'v1' already");
  CHECK(headline(script + "link add v20000 type dummy\n").ends_with("'v20000' already"));
}
