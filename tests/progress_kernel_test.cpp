// `netbatch run` with a terminal for its standard error.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/support/sandbox.hpp"

using netbatch::test::in_sandbox;
using netbatch::test::shell;

namespace {

// What the run writes to the terminal.
std::string on_terminal(const std::string& script, const std::string& options) {
  const int outside = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  REQUIRE(outside >= 0);
  REQUIRE(::grantpt(outside) == 0);
  REQUIRE(::unlockpt(outside) == 0);
  const int inside = ::open(::ptsname(outside), O_RDWR | O_NOCTTY);
  CHECK(shell(fmt::format("echo '{}' | {} run {} - 2>&{}", script, NETBATCH_BINARY, options, inside)) == "");
  std::string text;
  char bytes[4096];
  for (ssize_t size = 0; (size = ::read(outside, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(size));
  ::close(inside);
  ::close(outside);
  return text;
}

}  // namespace

TEST_CASE("progress: a long run shows one on a terminal, and takes it away") {
  in_sandbox({}, [] {
    const std::string text = on_terminal("for i in 1..600000 { link set lo alias x }", "--no-plan --window 1");
    CHECK(text.starts_with("\r["));
    CHECK(text.find(" of 600,000\x1b[K") != text.npos);
    CHECK(text.ends_with("\r\x1b[K"));
    CHECK(text.find('\n') == text.npos);
  });
}

TEST_CASE("progress: a short run shows none") {
  in_sandbox({}, [] { CHECK(on_terminal("link set lo up", "") == ""); });
}
