// `netbatch run` with a terminal for its standard error.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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

std::string many_settings(size_t thousands) {
  return fmt::format("for i in 1..{}000 {{ link set lo alias x }}", thousands);
}

// How many thousand statements, one by one, take about as long on this kernel.
size_t thousands_in(std::chrono::duration<double> time) {
  constexpr size_t kSample = 5;
  const auto begin = std::chrono::steady_clock::now();
  shell(fmt::format("echo '{}' | {} run --no-plan --window 1 -", many_settings(kSample), NETBATCH_BINARY));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return std::clamp(static_cast<size_t>(static_cast<double>(kSample) * (time / taken)), kSample, size_t{999});
}

}  // namespace

TEST_CASE("progress: a long run shows one on a terminal, and takes it away") {
  in_sandbox({}, [] {
    const size_t thousands = thousands_in(std::chrono::seconds(4));
    const std::string text = on_terminal(many_settings(thousands), "--no-plan --window 1");
    CHECK(text.starts_with("\r["));
    CHECK(text.find(fmt::format(" of {},000\x1b[K", thousands)) != text.npos);
    CHECK(text.ends_with("\r\x1b[K"));
    CHECK(text.find('\n') == text.npos);
  });
}

TEST_CASE("progress: a short run shows none") {
  in_sandbox({}, [] { CHECK(on_terminal("link set lo up", "") == ""); });
}
