// The examples do what they say, and a command after `--` runs in the sandbox.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tests/compare/dump.hpp"
#include "tests/compare/state.hpp"
#include "tests/support/sandbox.hpp"

namespace netbatch::test {
namespace {

std::string netbatch(const std::string& arguments) { return shell(fmt::format("{} {}", NETBATCH_BINARY, arguments)); }

// What `command` says and the state that it leaves in a sandbox of its own.
template <class CommandRunner>
std::string ending_of(CommandRunner&& command) {
  const ChildResult result = run_in_sandbox([&] {
    std::string text = command();
    for (const std::string& line : compare::normalise(compare::dump_namespaces(), "")) text += line + '\n';
    return text;
  });
  REQUIRE(result.status == 0);
  return result.text;
}

std::string generate(const std::string& generator) {
  return shell(fmt::format("cd {}/examples && sh {} | {} run -", NETBATCH_SOURCE_DIR, generator, NETBATCH_BINARY));
}

// How many links there are beside lo, of these that match the words of `ip link show`.
std::string links(const std::string& options, const std::string& words = "") {
  return shell(fmt::format("ip {} -oneline link show {} | grep -vc ': lo:'", options, words));
}

std::string address(const std::string& netns, const std::string& link) {
  return shell(fmt::format("ip -n {} -4 -oneline address show dev {} | awk '{{print $4}}'", netns, link));
}

}  // namespace

TEST_CASE("examples: quickstart.nb") {
  in_sandbox({"veth", "bridge"}, [] {
    CHECK(netbatch("run " NETBATCH_SOURCE_DIR "/examples/quickstart.nb") == "");
    CHECK(links("", "master br0 up") == "2\n");
    CHECK(address("db", "eth0") == "10.0.0.3/24\n");
    CHECK(shell("ip -n web route show default") == "default via 10.0.0.1 dev eth0 \n");
  });
}

TEST_CASE("examples: containers.sh") {
  in_sandbox({"veth", "bridge"}, [] {
    CHECK(generate("containers.sh 3") == "");
    CHECK(links("", "master br0 up") == "3\n");
    CHECK(address("c2", "eth0") == "10.0.0.4/16\n");
    CHECK(shell("ip -n c0 route show default") == "default via 10.0.0.1 dev eth0 \n");
  });
}

TEST_CASE("examples: containers.sh takes another bridge for each 1,000") {
  CHECK(shell("sh " NETBATCH_SOURCE_DIR "/examples/containers.sh 2001 | grep 'route add' | tail -n 1") ==
        "ip -n c2000 route add default via 10.2.0.1\n");
}

TEST_CASE("examples: veth-pairs.sh") {
  in_sandbox({"veth"}, [] {
    CHECK(generate("veth-pairs.sh 5 add") == "");
    CHECK(links("") == "10\n");
    CHECK(generate("veth-pairs.sh 5 set") == "");
    CHECK(shell("ip link show dev a4 | grep -o -e 'mtu 1400' -e 'alias pair 4' -e ',UP'") ==
          ",UP\nmtu 1400\nalias pair 4\n");
    CHECK(generate("veth-pairs.sh 5 del") == "");
    CHECK(links("") == "0\n[exit 1]\n");
  });
  CHECK(shell("sh " NETBATCH_SOURCE_DIR "/examples/veth-pairs.sh 5 sing") ==
        "veth-pairs.sh: the second argument is add, set or del, not 'sing'\n[exit 2]\n");
}

TEST_CASE("examples: vlan-links.sh") {
  in_sandbox({"veth", "vlan"}, [] {
    CHECK(generate("vlan-links.sh 3") == "");
    CHECK(shell("ip -n c2 -oneline link show type vlan | awk '{print $2}' | cut -d@ -f1 | sort") == "data\nmgmt\n");
  });
}

TEST_CASE("examples: a script in the language ends as the lines of its generator do") {
  struct Example {
    std::string_view name;
    int n;
    int links;  // in the namespace that it runs in
    std::string_view kind;
  };
  for (const Example& example :
       {Example{"containers", 3, 4, "bridge"}, {"veth-pairs", 4, 8, "veth"}, {"vlan-links", 3, 3, "vlan"}}) {
    CAPTURE(example.name);
    in_sandbox({"veth", example.kind}, [&example] {
      const std::string ending = ending_of([&] {
        const std::string said =
            netbatch(fmt::format("run -D n={} {}/examples/{}.nb", example.n, NETBATCH_SOURCE_DIR, example.name));
        return said + links("");
      });
      CHECK(ending.starts_with(fmt::format("{}\n", example.links)));
      CHECK(ending == ending_of([&] {
              const std::string said = generate(fmt::format("{}.sh {}", example.name, example.n));
              return said + links("");
            }));
    });
  }
}

TEST_CASE("examples: scripts in the language are right for every n") {
  for (const char* name : {"containers", "veth-pairs", "vlan-links"}) {
    CAPTURE(name);
    const std::string file = fmt::format("{}/examples/{}.nb", NETBATCH_SOURCE_DIR, name);
    CHECK(netbatch("check " + file) == "");
    CHECK(netbatch("check -D n=0 " + file) == "");
  }
  const std::string plan =
      fmt::format("{} plan --no-plan -D n=2001 {}/examples/containers.nb", NETBATCH_BINARY, NETBATCH_SOURCE_DIR);
  CHECK(shell(plan + " | grep -c 'type bridge'") == "3\n");
  CHECK(shell(plan + " | grep -c 'via 10.2.0.1'") == "1\n");
}

TEST_CASE("command line: a command after -- runs in the sandbox") {
  const std::string quiet = "run --sandbox /dev/null -- ";
  in_sandbox({"veth"}, [&] {
    CHECK(shell(fmt::format("echo link add x type veth peer y | {} run --sandbox - -- ip -oneline link show dev y | "
                            "grep -c 'y@x'",
                            NETBATCH_BINARY)) == "1\n");
    CHECK(links("") == "0\n[exit 1]\n");
    CHECK(netbatch(quiet + "sh -c 'exit 7'") == "[exit 7]\n");
    CHECK(netbatch(quiet + "sh -c 'kill -9 $$'") == "[exit 137]\n");
    CHECK(netbatch(quiet + "./none") == "netbatch: cannot run './none': No such file or directory\n[exit 127]\n");
    CHECK(shell(fmt::format("echo link del none | {} run --sandbox - -- echo ran 2>/dev/null", NETBATCH_BINARY)) ==
          "ran\n[exit 1]\n");
    CHECK(shell(fmt::format("echo oops | {} run --sandbox - -- echo ran 2>/dev/null", NETBATCH_BINARY)) ==
          "[exit 2]\n");
  });
  CHECK(netbatch("run /dev/null -- true") ==
        "netbatch: a command after '--' needs 'run --sandbox': it runs where the script ran\n[exit 2]\n");
}

}  // namespace netbatch::test
