// Kernel tests: each body runs in a child process, in network, mount and (when not root) user namespaces of its own.
//
//   TEST_CASE("…") {
//     in_sandbox({"dummy"}, [] { CHECK(shell("ip link add a type dummy") == ""); });
//   }
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace netbatch::test {

struct ChildResult {
  // 0: no check failed; 1: a CHECK or REQUIRE of the body failed (the child has printed it); 2: the body threw or the
  // sandbox could not be entered, `text` says why; 128 + N: signal N ended the child.
  int status = 0;
  std::string text;  // what the body returned
};

// Forks; the child enters a sandbox, runs `body` (which returns a text or nothing) and exits without running the
// parent's destructors. The process must have one thread. Works inside a body too.
ChildResult run_text_in_sandbox(const std::function<std::string()>& body);

template <class Body>
ChildResult run_in_sandbox(Body&& body) {
  if constexpr (std::is_void_v<std::invoke_result_t<Body&>>) {
    return run_text_in_sandbox([&body] {
      body();
      return std::string();
    });
  } else {
    return run_text_in_sandbox(std::ref(body));
  }
}

// Why links of this kind (`dummy`, `vlan` …) cannot be made here, or nothing. An empty kind asks only whether there can
// be a sandbox at all. The answer is kept.
std::optional<std::string> kernel_lacks(std::string_view kind);

// The whole of a kernel test: `body`, whose failed checks fail the test; or, where one of the kinds of links cannot be
// made, a message that says why it is skipped.
void in_sandbox(std::initializer_list<std::string_view> kinds, const std::function<void()>& body);

// Runs the command with sh and returns its stdout and stderr, in order; after them "[exit N]\n" when N is not 0.
std::string shell(const std::string& command);

}  // namespace netbatch::test
