#include "interpreter/report.hpp"

#include <doctest/doctest.h>

#include <cerrno>

#include "interpreter/sentences.hpp"

using namespace netbatch;

namespace {

// What is said of a failure of the script's one statement.
std::string report(std::string script, Failure failure) {
  Program program({});
  REQUIRE(program.load("test.nb", std::move(script)));
  Operations operations;
  program.next(operations, 10);
  REQUIRE(program.errors.empty());
  if (failure.span == Span{}) failure.span = operations.list[0].span;
  return grammar::render(describe(failure, operations, program), program.sources);
}

Failure failure(int error, std::string text = {}) {
  Failure result;
  result.error = error;
  result.text = std::move(text);
  return result;
}

}  // namespace

TEST_CASE("report: the kernel's sentence beside ours") {
  CHECK(report("link add w0 type dummy\n", failure(EEXIST)) ==
        "test.nb:1:10: error: a link of this name exists already\n"
        "    1 | link add w0 type dummy\n"
        "      |          ^~\n"
        "   kernel: File exists (EEXIST)\n");
  CHECK(
      report("route add 10.0.0.0/8 via 10.1.0.1\n", failure(ENETUNREACH, "Nexthop has invalid gateway")) ==
      "test.nb:1:1: error: no link reaches the gateway: give a link an address in its network first, or say 'onlink'\n"
      "    1 | route add 10.0.0.0/8 via 10.1.0.1\n"
      "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
      "   kernel: Nexthop has invalid gateway (ENETUNREACH)\n");
}

TEST_CASE("report: a link that is not there, with the caret under its name") {
  CHECK(report("-n lab link set w0 up\n", failure(ENODEV)) ==
        "test.nb:1:17: error: no link named 'w0' in namespace 'lab'\n"
        "    1 | -n lab link set w0 up\n"
        "      |                 ^~\n"
        "   kernel: No such device (ENODEV)\n");
}

TEST_CASE("report: what did not resolve") {
  Failure link = failure(ENODEV);
  link.encode = {EncodeError::What::NoLink, ENODEV, {}, "br0", 0};
  CHECK(report("link set w0 master br0\n", link).starts_with("test.nb:1:1: error: no link named 'br0'\n"));
  link.encode.error = link.error = EMFILE;
  CHECK(report("link set w0 master br0\n", link) ==
        "test.nb:1:1: error: the link 'br0' could not be looked up\n"
        "    1 | link set w0 master br0\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~\n"
        "   kernel: Too many open files (EMFILE)\n");
  Failure netns = failure(ENOENT);
  netns.encode = {EncodeError::What::NoNetns, ENOENT, {}, {}, 1};
  CHECK(report("link set w0 netns lab\n", netns).starts_with("test.nb:1:1: error: no namespace named 'lab'\n"));
}

TEST_CASE("report: a request that was given up") {
  Failure lost = failure(ENOBUFS);
  lost.outcome = Outcome::Lost;
  CHECK(report("link set w0 up\n", lost) ==
        "test.nb:1:1: error: the kernel dropped its answer; whether this was done is not known\n"
        "    1 | link set w0 up\n"
        "      | ^~~~~~~~~~~~~~\n"
        "   kernel: No buffer space available (ENOBUFS)\n");
}

TEST_CASE("report: the option that the errno points at") {
  CHECK(report("link set w0 alias x mtu 10 up\n", failure(EINVAL)) ==
        "test.nb:1:21: error: the link cannot have this MTU\n"
        "    1 | link set w0 alias x mtu 10 up\n"
        "      |                     ^~~~~~\n"
        "   kernel: Invalid argument (EINVAL)\n");
  CHECK(report("link add w0 type veth peer name p0 mtu 10\n", failure(EINVAL))
            .starts_with("test.nb:1:36: error: the link cannot have this MTU\n"));
  CHECK(report("link set w0 up\n", failure(EINVAL))
            .starts_with("test.nb:1:1: error: the kernel does not take these values for this link\n"));
}

TEST_CASE("report: what the kernel says goes before a guess") {
  CHECK(report("link set w0 netns lab\n", failure(EINVAL, "The interface netns is immutable")) ==
        "test.nb:1:1: error: the kernel refuses this: The interface netns is immutable\n"
        "    1 | link set w0 netns lab\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~\n"
        "   kernel: Invalid argument (EINVAL)\n");
}

TEST_CASE("report: a kind that the kernel does not know") {
  CHECK(report("link add w0 type dummy\n", failure(EOPNOTSUPP, "Unknown device type")) ==
        "test.nb:1:18: error: this kernel has no links of type 'dummy'\n"
        "    1 | link add w0 type dummy\n"
        "      |                  ^~~~~\n"
        "   kernel: Unknown device type (EOPNOTSUPP)\n");
}

TEST_CASE("report: every errno has a sentence") {
  Operation operation;
  const Operations none;
  for (const Object object : {Object::Link, Object::Addr, Object::Route, Object::Netns}) {
    operation.object = object;
    for (int error = 1; error < 600; ++error) CHECK_FALSE(advise(error, operation, none).text.empty());
  }
  CHECK(errno_name(ENODEV) == "ENODEV");
  CHECK(errno_name(599) == "unknown error");
}
