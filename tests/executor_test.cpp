#include "interpreter/executor.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/if_link.h>

#include <cerrno>

#include "interpreter/planner.hpp"
#include "interpreter/program.hpp"
#include "interpreter/sentences.hpp"
#include "tests/support/fake_transport.hpp"

using namespace netbatch;
using netbatch::test::ack;
using netbatch::test::Bytes;
using netbatch::test::FakeTransport;

namespace {

Bytes join(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// A run against the fake kernel.
struct Run {
  explicit Run(Policy policy = Policy::Continue, size_t window = 0) : options{} {
    options.policy = policy;
    options.window = window;
  }

  bool operator()(std::string script, bool plain = false) {
    REQUIRE(program.load("test.nb", std::move(script)));
    program.next(operations, 1'000'000);
    REQUIRE(program.errors.empty());
    const Plan plan = make_plan(operations, program.namespaces, {plain, {}});
    Executor executor(transport, program.namespaces, options, stats);
    return executor.run(plan, operations, outcomes);
  }

  // "1: ENODEV the kernel's text [the operand]", a line each.
  std::string failures() const {
    std::string text;
    for (const Failure& failure : outcomes.failures)
      text += fmt::format("{}: {}{}{}{} [{}]\n", failure.operation + 1, failure.outcome == Outcome::Lost ? "lost " : "",
                          errno_name(failure.error), failure.text.empty() ? "" : " ", failure.text,
                          program.sources.text(failure.span));
    return text;
  }

  // D done, F failed, L lost, R rolled back, . not run.
  std::string ends() const {
    std::string text;
    for (const Outcome outcome : outcomes.of) text += ".DFLR"[static_cast<size_t>(outcome)];
    return text;
  }

  FakeTransport transport;
  Program program{{}};
  Operations operations;
  Outcomes outcomes;
  Stats stats;
  ExecutorOptions options;
};

std::string sets(size_t count) {
  std::string script;
  for (size_t i = 0; i < count; ++i) script += fmt::format("link set w{} up\n", i);
  return script;
}

}  // namespace

TEST_CASE("executor: one send and one answer for a window") {
  Run run;
  CHECK(run(sets(3)));
  CHECK(run.transport.log == "send: set w0 up; set w1 up; set w2 up\n");
  CHECK(run.ends() == "DDD");
  CHECK(run.stats.requests == 3);
  CHECK(run.stats.sends == 1);
  CHECK(run.stats.acks == 1);
  CHECK(run.stats.lookups == 0);
}

TEST_CASE("executor: the window is what the receive buffer holds, or less") {
  Run run;
  run.transport.window_size = 2;
  CHECK(run(sets(5)));
  CHECK(run.transport.log == "send: set w0 up; set w1 up\nsend: set w2 up; set w3 up\nsend: set w4 up\n");

  Run one(Policy::Continue, 1);
  CHECK(one(sets(2)));
  CHECK(one.transport.log == "send: set w0 up\nsend: set w1 up\n");

  Run wide(Policy::Continue, 1000);
  wide.transport.window_size = 2;
  CHECK(wide(sets(3)));
  CHECK(wide.transport.log == "send: set w0 up; set w1 up\nsend: set w2 up\n");
}

TEST_CASE("executor: an error in the middle of a window") {
  Run run;
  run.transport.rules = {{"set w1", ENODEV}};
  CHECK(run(sets(3)));
  CHECK(run.ends() == "DFD");
  CHECK(run.failures() == "2: ENODEV [link set w1 up]\n");
  CHECK(run.stats.acks == 2);
}

TEST_CASE("executor: the window's last request fails") {
  Run run;
  run.transport.rules = {{"set w2", ENODEV}};
  CHECK(run(sets(3)));
  CHECK(run.ends() == "DDF");
}

TEST_CASE("executor: stop sends no window after the first failure") {
  Run run(Policy::Stop, 1);
  run.transport.rules = {{"set w1", ENODEV, "", 0, 99}, {"set w3", ENODEV, "", 0, 99}};
  CHECK_FALSE(run(sets(5)));
  CHECK(run.transport.log.find("w2") == std::string::npos);
  CHECK(run.failures() == "2: ENODEV [link set w1 up]\n");
  CHECK(run.ends() == "DF...");
}

TEST_CASE("executor: stop, when more was in flight than the first failure") {
  Run run(Policy::Stop, 4);
  run.transport.rules = {{"set w1", ENODEV, "", 0, 99}, {"set w2", EBUSY, "", 0, 99}};
  CHECK_FALSE(run(sets(6)));
  CHECK(run.transport.log.find("set w4") == std::string::npos);
  CHECK(run.failures() == "2: ENODEV [link set w1 up]\n");
  CHECK(run.ends() == "DF....");
  const size_t last = run.transport.log.rfind("send: ");
  CHECK(run.transport.log.substr(last) == "send: set w1 up\n");
}

TEST_CASE("executor: a rollback leaves nothing done") {
  Run run(Policy::Rollback, 4);
  run.transport.rules = {{"set w1", ENODEV, "", 0, 99}};
  CHECK_FALSE(run(sets(3)));
  CHECK(run.outcomes.rolled_back);
  CHECK(run.failures() == "2: ENODEV [link set w1 up]\n");
  CHECK(run.ends() == "RFR");
}

TEST_CASE("executor: continue reports all failures, in the script's order") {
  Run run(Policy::Continue, 2);
  run.transport.rules = {{"set w4", EBUSY}, {"set w0", ENODEV}, {"set w3", EINVAL, "no"}};
  CHECK(run(sets(6)));
  CHECK(run.failures() == "1: ENODEV [link set w0 up]\n4: EINVAL no [link set w3 up]\n5: EBUSY [link set w4 up]\n");
  CHECK(run.ends() == "FDDFFD");
}

TEST_CASE("executor: answers that were dropped are lost, never success") {
  for (const int error : {ENOBUFS, ETIMEDOUT}) {
    CAPTURE(error);
    Run run(Policy::Continue, 3);
    run.transport.scripted[0] = {ack(1, ENODEV), error};
    CHECK(run(sets(4)));
    CHECK(run.ends() == "FLLD");
    CHECK(run.outcomes.failures.size() == 3);
    CHECK(run.outcomes.failures[1].error == error);
  }
}

TEST_CASE("executor: an answer that was given up does not settle a later request") {
  Run run(Policy::Continue, 1);
  run.transport.scripted[0] = {ENOBUFS};
  run.transport.scripted[1] = {ack(1, EBUSY), ack(2, 0)};
  CHECK(run(sets(2)));
  CHECK(run.ends() == "LD");
  CHECK(run.stats.unexpected == 1);
}

TEST_CASE(
    "executor: sequence numbers of nothing that was asked, and answers given twice, are counted and passed over") {
  Run run;
  run.transport.scripted[0] = {ack(0, EBUSY), ack(77, EBUSY), ack(1, ENODEV), ack(1, EBUSY), ack(3, 0)};
  CHECK(run(sets(3)));
  CHECK(run.failures() == "1: ENODEV [link set w0 up]\n");
  CHECK(run.ends() == "FDD");
  CHECK(run.stats.unexpected == 3);
}

TEST_CASE("executor: several answers in one datagram") {
  Run run;
  run.transport.scripted[0] = {join({ack(1, ENODEV), ack(2, EBUSY)}), join({ack(3, 0)})};
  CHECK(run(sets(3)));
  CHECK(run.ends() == "FFD");
}

TEST_CASE("executor: a short or malformed datagram answers nothing") {
  Bytes cut = ack(1, EBUSY);
  cut.resize(10);
  Bytes liar = ack(2, EBUSY);
  liar[0] = std::byte{0xff};  // nlmsg_len
  for (const Bytes& bad : {Bytes{}, cut, liar}) {
    Run good;
    good.transport.scripted[0] = {bad, ack(2, 0)};
    CHECK(good(sets(2)));
    CHECK(good.ends() == "DD");

    Run run;
    run.transport.scripted[0] = {bad};
    CHECK(run(sets(2)));
    CHECK(run.ends() == "LL");
  }
}

TEST_CASE("executor: sendmsg fails") {
  Run run(Policy::Continue, 2);
  run.transport.send_errors[0] = EPERM;
  CHECK(run(sets(3)));
  CHECK(run.ends() == "FFD");
  CHECK(run.failures() == "1: EPERM [link set w0 up]\n2: EPERM [link set w1 up]\n");
}

TEST_CASE("executor: a fused request fails, and its statements are run one by one") {
  const std::string script =
      "link add d0 type dummy\n"
      "link set d0 mtu 1400\n"
      "link set d0 up\n"
      "link add d1 type dummy\n";
  Run run;
  run.transport.rules = {{"new d0 mtu=1400 up", EINVAL},
                         {"set d0 mtu=1400", EINVAL, "mtu greater than device maximum"}};
  CHECK(run(script));
  CHECK(run.transport.log ==
        "send: new d0 mtu=1400 up; new d1\n"
        "send: new d0\n"
        "send: set d0 mtu=1400\n"
        "send: set d0 up\n");
  CHECK(run.ends() == "DFDD");
  CHECK(run.failures() == "2: EINVAL mtu greater than device maximum [link set d0 mtu 1400]\n");
  CHECK(run.stats.plain == 3);

  Run stop(Policy::Stop);
  stop.transport.rules = run.transport.rules;
  for (FakeTransport::Rule& rule : stop.transport.rules) rule.times = 99;
  CHECK_FALSE(stop(script));
  CHECK(stop.failures() == run.failures());
}

TEST_CASE("executor: the operand at NLMSGERR_ATTR_OFFS") {
  Run run;
  // nlmsghdr 16, ifinfomsg 16, IFLA_IFNAME 4 + 3 + 1: IFLA_MTU is next
  run.transport.rules = {{"set w1", EINVAL, "too big", 40}};
  CHECK(run("link set w1 alias hello mtu 70000 txqueuelen 5\n", true));
  const std::string at_40 = run.failures();
  Run other;
  other.transport.rules = {{"set w1", EINVAL, "too big", 4000}};
  CHECK(other("link set w1 alias hello mtu 70000 txqueuelen 5\n", true));
  CHECK(other.failures() == "1: EINVAL too big [link set w1 alias hello mtu 70000 txqueuelen 5]\n");
  CHECK(at_40 == "1: EINVAL too big [alias hello]\n");
}

TEST_CASE("executor: what a refused fused request is about is not changed before its statements are run") {
  Run run;
  run.transport.rules = {{"set w0 group=3", ENODEV, "", 0, 2}};
  CHECK(run("link set w0 group 3\nlink set w0 alias x\nlink set w1 up\nlink add w2 type veth peer name w0\n"));
  const std::string& log = run.transport.log;
  CHECK(log.find("set w1 up") < log.find("new w2"));
  CHECK(log.rfind("set w0") < log.find("new w2"));
  CHECK(run.ends() == "FDDD");
}

TEST_CASE("executor: the first part of a statement is done, the put-off part fails") {
  Run run;
  run.transport.links[{0, "br0"}] = {5, 0};
  run.transport.rules = {{"set v1 up", ENODEV}};
  CHECK(run("link add v1 master br0 up type veth peer name p1\n"));
  CHECK(run.transport.log == "look up: br0\nsend: new v1 master=5\nsend: set v1 up\n");
  CHECK(run.ends() == "F");
  CHECK(run.failures() == "1: ENODEV [link add v1 master br0 up type veth peer name p1]\n");
}

TEST_CASE("executor: a part of a statement is done before the put-off part fails, and must not stay") {
  Run run(Policy::Stop);
  run.transport.links[{0, "br0"}] = {5, 0};
  run.transport.rules = {{"set v1 up", EPERM}, {"new v1 master=5 up", EPERM}};
  CHECK_FALSE(run("link add v1 master br0 up type veth peer name p1\n"));
  CHECK(run.ends() == "F");
  const std::string& log = run.transport.log;
  CHECK(log.substr(log.rfind("send: ")) == "send: new v1 master=5 up\n");
}

TEST_CASE("executor: all statements of a put-off request that fails have failed") {
  Run run;
  run.transport.links[{0, "br0"}] = {5, 0};
  run.transport.rules = {{"set v1 up", EPERM, "", 0, 99}};
  CHECK(run("link add v1 master br0 up type veth peer name p1\nlink set v1 up\n"));
  CHECK(run.ends() == "FF");
  CHECK(run.outcomes.failures.size() == 1);
}

TEST_CASE("executor: a put-off part of a failed statement is not run") {
  Run run(Policy::Continue, 1);
  run.transport.links[{0, "br0"}] = {5, 0};
  run.transport.rules = {{"new v1", EEXIST, "", 0, 2}};
  CHECK(run("link add v1 master br0 up type veth peer name p1\n"));
  CHECK(run.transport.log == "look up: br0\nsend: new v1 master=5\nsend: new v1 master=5 up\n");
  CHECK(run.failures() == "1: EEXIST [link add v1 master br0 up type veth peer name p1]\n");
}

TEST_CASE("executor: a name is looked up once") {
  Run run;
  run.transport.links[{0, "br0"}] = {5, 0};
  CHECK(run("link set w0 master br0\nlink set w1 master br0\naddr add 10.0.0.1/8 dev br0\n"));
  CHECK(run.transport.log == "look up: br0\nsend: set w0 master=5; set w1 master=5; addr #5\n");
  CHECK(run.stats.lookups == 1);
}

TEST_CASE("executor: a name that may be in the window is looked up after it") {
  Run run;
  run.transport.on_send = [&](size_t) { run.transport.links[{0, "br0"}] = {5, 0}; };
  CHECK(run("link add br0 type bridge\nlink add w0 type dummy\nlink set w0 master br0\n"));
  CHECK(run.transport.log == "send: new br0\nlook up: br0\nsend: new w0 master=5\n");
}

TEST_CASE("executor: a cached index that the kernel does not know is asked for again, once") {
  Run run(Policy::Continue, 1);
  run.transport.links[{0, "br0"}] = {5, 0};
  run.transport.on_send = [&](size_t send) {
    if (send == 0) run.transport.links[{0, "br0"}] = {6, 0};
  };
  run.transport.rules = {{"set w1 master=5", ENODEV}};
  CHECK(run("link set w0 master br0\nlink set w1 master br0\n"));
  CHECK(run.transport.log ==
        "look up: br0\nsend: set w0 master=5\nsend: set w1 master=5\nlook up: br0\nsend: set w1 master=6\n");
  CHECK(run.ends() == "DD");

  Run again(Policy::Continue, 1);
  again.transport.links[{0, "br0"}] = {5, 0};
  again.transport.rules = {{"set w1 master=5", ENODEV, "", 0, 9}};
  CHECK(again("link set w0 master br0\nlink set w1 master br0\n"));
  CHECK(again.transport.log == "look up: br0\nsend: set w0 master=5\nsend: set w1 master=5\nlook up: br0\n");
  CHECK(again.ends() == "DF");
}

TEST_CASE("executor: an index that was just looked up is not asked for again") {
  Run run(Policy::Continue, 1);
  run.transport.links[{0, "br0"}] = {5, 0};
  run.transport.rules = {{"set w0 master=5", ENODEV, "", 0, 9}};
  CHECK(run("link set w0 master br0\n"));
  CHECK(run.transport.log == "look up: br0\nsend: set w0 master=5\n");
  CHECK(run.ends() == "F");
}

TEST_CASE("executor: a name that does not resolve") {
  Run run;
  CHECK(run("link set w0 up\nlink set w1 master nobr\nlink set w2 up\n"));
  CHECK(run.transport.log == "look up: nobr\nsend: set w0 up\nsend: set w2 up\n");
  CHECK(run.failures() == "2: ENODEV [master nobr]\n");
  CHECK(run.ends() == "DFD");

  Run stop(Policy::Stop);
  CHECK_FALSE(stop("link set w0 up\nlink set w1 master nobr\nlink set w2 up\n"));
  CHECK(stop.ends() == "DF.");
}

TEST_CASE("executor: a name that a fused request passes over must be free") {
  const std::string script = "link add tmp0 type dummy\nlink set tmp0 name eth0\n";
  Run free;
  CHECK(free(script));
  CHECK(free.transport.log == "find: tmp0\nsend: new eth0\n");
  CHECK(free.ends() == "DD");

  Run taken;
  taken.transport.links[{0, "tmp0"}] = {9, 0};
  taken.transport.rules = {{"new tmp0", EEXIST}};
  CHECK(taken(script));
  CHECK(taken.transport.log.starts_with("find: tmp0\nsend: new tmp0\n"));
  CHECK(taken.ends() == "FD");
}

TEST_CASE("executor: a taken name holds nothing else of its window up, and the order stays") {
  Run run;
  run.transport.links[{0, "tmp0"}] = {9, 0};
  run.transport.rules = {{"new tmp0", EEXIST}, {"set #9", EEXIST}};
  CHECK(run("link set w0 up\nlink add tmp0 type dummy\nlink set tmp0 name eth0\nlink set w1 up\n"));
  CHECK(run.ends() == "DFFD");
  const std::string& log = run.transport.log;
  CHECK(log.find("set w0 up") < log.find("new tmp0"));
  CHECK(log.find("new tmp0") < log.find("set w1 up"));
}

TEST_CASE("executor: links are deleted by a fresh group, tagged by index") {
  Run run;
  run.transport.links = {{{0, "w0"}, {7, 0}}, {{0, "w1"}, {8, 3}}};
  CHECK(run("link del w0\nlink del w1\n"));
  CHECK(run.transport.log ==
        "find: w0 w1\n"
        "send: set #7 group=fresh; set #8 group=fresh\n"
        "send: del group=fresh\n");
  CHECK(run.ends() == "DD");
}

TEST_CASE("executor: a group that cannot be deleted is put back and run one by one") {
  Run run;
  run.transport.links = {{{0, "w0"}, {7, 0}}, {{0, "w1"}, {8, 3}}};
  run.transport.rules = {{"del group", EOPNOTSUPP}, {"del w0", EOPNOTSUPP}};
  CHECK(run("link del w0\nlink del w1\n"));
  CHECK(run.transport.log ==
        "find: w0 w1\n"
        "send: set #7 group=fresh; set #8 group=fresh\n"
        "send: del group=fresh\n"
        "send: set #7 group=0; set #8 group=3\n"
        "send: del w0\n"
        "send: del w1\n");
  CHECK(run.failures() == "1: EOPNOTSUPP [link del w0]\n");
  CHECK(run.ends() == "FD");
}

TEST_CASE("executor: a link to delete that was never there fails in its place") {
  Run run;
  run.transport.links = {{{0, "w0"}, {7, 0}}, {{0, "w2"}, {8, 0}}};
  run.transport.rules = {{"del w1", ENODEV}};
  CHECK(run("link del w0\nlink del w1\nlink del w2\n"));
  CHECK(run.ends() == "DFD");
  CHECK(run.failures() == "2: ENODEV [link del w1]\n");
}

TEST_CASE("executor: names that netbatch picks are the lowest free ones, and listed once") {
  Run run;
  run.transport.links = {{{0, "veth1"}, {7, 0}}};
  CHECK(run("link add type veth\nlink add type veth\n"));
  CHECK(run.transport.log == "list\nsend: new veth2\nsend: new veth4\n");
}

TEST_CASE("executor: namespaces are made between the windows") {
  Run run;
  CHECK(run("link set w0 up\nnetns del lab\nlink set w1 up\n"));
  CHECK(run.transport.log == "send: set w0 up\ndelete namespace 1\nsend: set w1 up\n");
  CHECK(run.ends() == "DDD");
}
