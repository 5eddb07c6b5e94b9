// `run --json` on the running kernel: an object for each operation and one for the whole, by policy.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/sandbox.hpp"

using netbatch::test::in_sandbox;
using netbatch::test::shell;

namespace {

constexpr const char* kPath = "/run/t.nb";

// The standard output, without the seconds.
std::string run_whole(const std::string& script, const std::string& options = "") {
  std::ofstream(kPath) << script;
  const std::string text =
      shell(fmt::format("cd /run && {} run --json {} t.nb 2>/run/messages", NETBATCH_BINARY, options));
  const size_t seconds = text.find(",\"seconds\":");
  REQUIRE(seconds != text.npos);
  return text.substr(0, seconds) + text.substr(text.find('}', seconds));
}

// Of each object: LINE VERB NAME OUTCOME [ERRNO]; then what the last one counts.
std::string run(const std::string& script, const std::string& options = "") {
  std::istringstream lines(run_whole(script, options));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[exit")) continue;
    const auto object = nlohmann::json::parse(line);
    if (object.contains("operations")) {
      text += fmt::format("{} operations: {} done, {} failed, {} skipped, {} rolled back, {} not restored\n",
                          object["operations"].get<int>(), object["done"].get<int>(), object["failed"].get<int>(),
                          object["skipped"].get<int>(), object["rolled_back"].get<int>(),
                          object["not_restored"].get<int>());
      continue;
    }
    text += fmt::format("{} {} {} {}", object["line"].get<int>(), object["verb"].get<std::string>(),
                        object["name"].get<std::string>(), object["outcome"].get<std::string>());
    text += object.contains("errno") ? " " + object["errno"].get<std::string>() + "\n" : "\n";
  }
  return text;
}

std::string count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return std::to_string(found);
}

}  // namespace

TEST_CASE("run --json: the whole text") {
  in_sandbox({"veth"}, [] {
    CHECK(run_whole("netns add c1\nfor i in 1..1 {\n  link add v$i type veth peer { name eth0; netns c1 }\n}\n"
                    "-n c1 link set eth0 master nowhere\n",
                    "--on-error stop") ==
          R"({"file":"t.nb","line":1,"column":1,"object":"netns","verb":"add","name":"c1","netns":"",)"
          R"("operation":"netns add c1","outcome":"done"})"
          "\n"
          R"({"file":"t.nb","line":3,"column":3,"object":"link","verb":"add","name":"v1","netns":"",)"
          R"("operation":"link add v1 type veth peer name eth0 netns c1","outcome":"done"})"
          "\n"
          R"({"file":"t.nb","line":5,"column":1,"object":"link","verb":"set","name":"eth0","netns":"c1",)"
          R"("operation":"link set eth0 master nowhere","outcome":"failed","errno":"ENODEV","kernel":"No such device",)"
          R"("message":"no link named 'nowhere' in namespace 'c1'"})"
          "\n"
          R"({"operations":3,"done":2,"failed":1,"skipped":0,"rolled_back":0,"not_restored":0})"
          "\n[exit 1]\n");
    CHECK(shell("head -n 1 /run/messages") == "t.nb:5:21: error: no link named 'nowhere' in namespace 'c1'\n");
  });
}

TEST_CASE("run --json: by policy") {
  const std::string script =
      "link add v1 type veth peer name p1\n"
      "link set v1 mtu 1400\n"
      "link add v1 type veth peer name p2\n"
      "link set v1 up\n"
      "link del p1\n";
  in_sandbox({"veth"}, [&] {
    CHECK(run(script) ==
          "1 add v1 rolled back\n2 set v1 rolled back\n3 add v1 failed EEXIST\n4 set v1 skipped\n5 del p1 skipped\n"
          "5 operations: 0 done, 1 failed, 2 skipped, 2 rolled back, 0 not restored\n");
    CHECK(run(script, "--on-error continue") ==
          "1 add v1 done\n2 set v1 done\n3 add v1 failed EEXIST\n4 set v1 done\n5 del p1 done\n"
          "5 operations: 4 done, 1 failed, 0 skipped, 0 rolled back, 0 not restored\n");
    CHECK(run(script, "--on-error stop") ==
          "1 add v1 done\n2 set v1 done\n3 add v1 failed EEXIST\n4 set v1 skipped\n5 del p1 skipped\n"
          "5 operations: 2 done, 1 failed, 2 skipped, 0 rolled back, 0 not restored\n");
    CHECK(run("link del v1\nlink set nowhere up\n") ==
          "1 del v1 rolled back\n2 set nowhere failed ENODEV\n"
          "2 operations: 0 done, 1 failed, 0 skipped, 1 rolled back, 1 not restored\n");
    CHECK(run("link set v1 down\ntransaction {\n  link set v1 mtu 1300\n  link set nowhere up\n}\nlink set p1 up\n",
              "--on-error continue") ==
          "1 set v1 done\n3 set v1 rolled back\n4 set nowhere failed ENODEV\n6 set p1 done\n"
          "4 operations: 2 done, 1 failed, 0 skipped, 1 rolled back, 0 not restored\n");
  });
}

TEST_CASE("run --json: ensure that has nothing to do is done as far as the run came") {
  const std::string script =
      "link ensure v1 type veth peer name p1\n"
      "link ensure lo type bridge\n"
      "link ensure v1 mtu 1500\n";
  in_sandbox({"veth"}, [&] {
    shell("ip link add v1 type veth peer name p1");
    CHECK(run("link ensure v1 mtu 1400 type veth peer name p1\nlink absent v7\nlink ensure v1 mtu 1400\n") ==
          "1 ensure v1 done\n2 absent v7 done\n3 ensure v1 done\n"
          "3 operations: 3 done, 0 failed, 0 skipped, 0 rolled back, 0 not restored\n");
    CHECK(run(script) ==
          "1 ensure v1 rolled back\n2 ensure lo failed\n3 ensure v1 skipped\n"
          "3 operations: 0 done, 1 failed, 1 skipped, 1 rolled back, 0 not restored\n");
    CHECK(run(script, "--on-error stop") ==
          "1 ensure v1 done\n2 ensure lo failed\n3 ensure v1 skipped\n"
          "3 operations: 1 done, 1 failed, 1 skipped, 0 rolled back, 0 not restored\n");
    CHECK(run(script, "--on-error continue") ==
          "1 ensure v1 done\n2 ensure lo failed\n3 ensure v1 done\n"
          "3 operations: 2 done, 1 failed, 0 skipped, 0 rolled back, 0 not restored\n");
  });
}

TEST_CASE("run --json: a script of several pieces") {
  const std::string many = "for i in 1..131072 { link set lo alias x }\n";
  in_sandbox({}, [&] {
    for (const char* policy : {"rollback", "stop", "continue"}) {
      const std::string text = run_whole(many + "link set nowhere up\n" + many, std::string("--on-error ") + policy);
      CAPTURE(policy);
      CHECK(count(text, "\n") == "262147");  // with the last object and the exit status
      const std::string counts = count(text, "\"outcome\":\"done\"") + " " + count(text, "\"outcome\":\"skipped\"") +
                                 " " + count(text, "\"outcome\":\"rolled back\"");
      // Before a rollback, what follows the failure in its piece was done: it is one request.
      CHECK(counts == (policy[0] == 'r' ? "0 1 262143" : policy[0] == 's' ? "131072 131072 0" : "262144 0 0"));
      CHECK(text.find("\"line\":2") < text.find("\"line\":3"));
      CHECK(text.find("\"line\":3") < text.find("\"operations\":262145"));
    }
    CHECK(count(run_whole(many + many), "\"outcome\":\"done\"") == "262144");
  });
}

TEST_CASE("run --json: an output that cannot be written does not end the run") {
  in_sandbox({}, [] {
    std::ofstream(kPath) << "for i in 1..20000 { link set lo alias x }\nlink set lo alias last\n";
    const std::string run = std::string(NETBATCH_BINARY) + " run --json /run/t.nb";
    CHECK(shell(run + " >/dev/full") ==
          "netbatch: the standard output could not be written: No space left on device\n[exit 1]\n");
    CHECK(shell("ip -d link show lo | grep -c 'alias last'; ip link set lo alias x") == "1\n");
    CHECK(shell("(" + run + "; echo status $? >&2) | head -c 0") ==
          "netbatch: the standard output could not be written: Broken pipe\nstatus 1\n");
    CHECK(shell("ip -d link show lo | grep -c 'alias last'") == "1\n");
  });
}
