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
  CHECK(headline("link del a\nlink del a\n") == "test.nb:2:10: error: the link 'a' has been deleted");
  CHECK(headline("link del a\nroute add 10.0.0.0/8 dev a\n") == "test.nb:2:22: error: the link 'a' has been deleted");
  CHECK(headline("link del a\nlink set b master a\n") == "test.nb:2:12: error: the link 'a' has been deleted");
  CHECK(headline("link del a\nlink add v type vxlan id 5 dev a\n") ==
        "test.nb:2:28: error: the link 'a' has been deleted");
}

TEST_CASE("check: a link that has been renamed or moved") {
  CHECK(check("link add a type dummy\nlink set a name b\nlink set b mtu 1400\nlink set a up\n") ==
        "test.nb:4:10: error: the link 'a' has another name now\n"
        "    4 | link set a up\n"
        "      |          ^\n"
        "test.nb:2:10: note: it was renamed here\n"
        "    2 | link set a name b\n"
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
  CHECK(check("link add a type dummy\nlink add a type bridge\n") ==
        "test.nb:2:10: error: there is a link named 'a' already\n"
        "    2 | link add a type bridge\n"
        "      |          ^\n"
        "test.nb:1:10: note: it was made here\n"
        "    1 | link add a type dummy\n"
        "      |          ^\n");
  CHECK(check("for i in 1..5 {\n  link add v type veth peer name p$i\n}\n") ==
        "test.nb:2:12: error: there is a link named 'v' already\n"
        "    2 |   link add v type veth peer name p$i\n"
        "      |            ^\n"
        "test.nb:2:12: note: it was made here\n"
        "    2 |   link add v type veth peer name p$i\n"
        "      |            ^\n"
        "   in the loop at test.nb:1 with i = 2\n");
  CHECK(headline("link add a type veth peer name b\nlink add b type dummy\n") ==
        "test.nb:2:10: error: there is a link named 'b' already");
  CHECK(headline("link add a type dummy\nlink add b type dummy\nlink set a name b\n") ==
        "test.nb:3:17: error: there is a link named 'b' already");
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
  CHECK(headline("addr add 10.0.0.1/8 peer fd00::1 dev a\n") ==
        "test.nb:1:26: error: 'peer' needs an IPv4 address, found 'fd00::1'");
}

TEST_CASE("check: a name that grows too long in a loop") {
  CHECK(check("for i in 98..102 {\n  link add interface-nr$i type dummy\n}\n") ==
        "test.nb:2:12: error: the link name 'interface-nr100' …\n");
}

TEST_CASE("check: nothing is said of names that may be right") {
  const char* const scripts[] = {
      "link set eth0 up\nlink set eth0 master br0\n",
      "link del a\nlink add a type dummy\nlink set a up\n",
      "link del a\nlink set b name a\nlink set a up\n",
      "link del a\nlink property add dev b altname a\nlink set a up\n",
      "link del a\nlink add b type veth peer name a\nlink set a up\n",
      "link del veth0\nlink add b type veth\nlink set veth0 up\n",
      "link del dummy1\nlink add type dummy\nlink set dummy1 up\n",
      "link del a\nlink set group 5 netns 1\nlink set a up\n",
      "-n lab link del a\nlink set a netns lab\n-n lab link set a up\n",
      "link set a netns lab\n-n lab link set a netns 1\nlink set a up\n",
      "link set a netns lab\n-n lab link set a netns /proc/1/ns/net\nlink set a up\n",
      "link set eth0 netns lab\nnetns del lab\nlink set eth0 up\n",
      "link add a type veth peer name b\nlink del a\nlink add b type dummy\n",
      "link add a type veth peer name b\nlink del a\nlink del b\n",
      "link add a type dummy\nlink add link a name a.1 type vlan id 1\nlink del a\nlink add link c name a.1 type vlan "
      "id 1\n",
      "link add a type dummy\nlink property add dev a altname x\nlink del x\nlink add a type dummy\n",
      "link set x name y\nlink set x up\n",  // x may be an alternative name
      "link add a type dummy\nlink del if7\nlink add a type dummy\n",
      "link add a type dummy\n-n lab link add a type dummy\n",
      "link add a type dummy netns lab\nlink add a type dummy\n",
      "link add v type veth peer name v netns lab\n",
      "link add v netns lab type veth peer name v\nlink add v type dummy\n",
      "link add link v name v netns lab type vlan id 5\n",
      "link add a type dummy\nlink replace a type dummy\n",
      "link add a type dummy\nlink set a netns lab\nlink add a type dummy\n",
      "link add a group 7 type dummy\nlink del group 7\nlink add a type dummy\n",
      "link add wg0 type wireguard\nlink add wg0 type dummy\n",
      "link add a type dummy\nnetns del lab\nlink add a type dummy\n",
  };
  for (const std::string script : scripts) {
    CAPTURE(script);
    CHECK(check(script) == "");
  }
}

TEST_CASE("check: at most 20 errors are shown") {
  std::string script = "link del a\n";
  for (int i = 0; i < 25; ++i) script += "link set a up\n";
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
