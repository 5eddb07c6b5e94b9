#include "tests/support/sandbox.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>

#include "netlink/ack.hpp"
#include "netlink/descriptor.hpp"
#include "netlink/message.hpp"
#include "netlink/netns.hpp"
#include "netlink/socket.hpp"

namespace netbatch::test {
namespace {

// Counts failed checks, as doctest keeps its own count to itself.
class FailureCounter : public doctest::IReporter {
 public:
  explicit FailureCounter(const doctest::ContextOptions&) {}
  static std::atomic<int> failures;

  void log_assert(const doctest::AssertData& data) override { failures += data.m_failed; }
  void log_message(const doctest::MessageData& data) override {
    failures += data.m_severity != doctest::assertType::is_warn;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
std::atomic<int> FailureCounter::failures = 0;
REGISTER_LISTENER("failure-counter", 1, FailureCounter);

int run_body(const std::function<std::string()>& body, std::string& text) {
  std::string step;
  if (const int error = netlink::enter_sandbox(&step)) {
    text = fmt::format("no sandbox: {}: {}", step, std::strerror(error));
    return 2;
  }
  FailureCounter::failures = 0;
  try {
    text = body();
  } catch (const std::exception& error) {
    text = fmt::format("the body threw: {}", error.what());
    return 2;
  } catch (...) {  // a failed REQUIRE, counted already
    return FailureCounter::failures != 0 ? 1 : 2;
  }
  return FailureCounter::failures != 0 ? 1 : 0;
}

[[noreturn]] void run_child(const std::function<std::string()>& body, netlink::Descriptor output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string text;
  const int status = run_body(body, text);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(output.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) rest.remove_prefix(static_cast<size_t>(written));
  }
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part;
  ssize_t size = 0;
  while ((size = ::read(fd, part.data(), part.size())) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) text.append(part.data(), static_cast<size_t>(size));
  }
  return text;
}

// Asks for a link of the kind and nothing else. Whatever the kernel says but EOPNOTSUPP, it knows the kind.
std::string probe(std::string_view kind) {
  netlink::Result<netlink::Socket> socket = netlink::Socket::open();
  if (!socket) return fmt::format("no netlink socket: {}", std::strerror(socket.error()));
  netlink::MessageBuffer request(1024);
  request.begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, 1, sizeof(ifinfomsg));
  request.put_string(IFLA_IFNAME, "probe");
  const size_t info = request.begin_nest(IFLA_LINKINFO);
  request.put_string(IFLA_INFO_KIND, kind);
  request.end_nest(info);
  int error = request.end() ? socket->send(request.bytes()) : ENOBUFS;
  std::array<std::byte, 4096> datagram;
  const netlink::Result<size_t> size = socket->receive(datagram, 10'000);
  if (error == 0) error = size.error();
  netlink::Reply reply;
  netlink::Ack ack;
  if (error == 0 && netlink::ReplyReader(std::span(datagram).first(*size)).next(reply) && decode_ack(reply, ack)) {
    if (ack.error != EOPNOTSUPP) return "";
    return fmt::format("this kernel makes no links of type {}: {}", kind, ack.message);
  }
  return fmt::format("no answer about type {}: {}", kind, std::strerror(error));
}

}  // namespace

ChildResult run_text_in_sandbox(const std::function<std::string()>& body) {
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  netlink::Descriptor input(ends[0]);
  netlink::Descriptor output(ends[1]);
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) run_child(body, std::move(output));
  output = netlink::Descriptor();
  ChildResult result;
  result.text = read_all(input.get());
  int wait_status = 0;
  while (::waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.status = exit_status(wait_status);
  return result;
}

std::optional<std::string> kernel_lacks(std::string_view kind) {
  static std::map<std::string, std::string, std::less<>> answers;
  auto place = answers.find(kind);
  if (place == answers.end()) {
    const ChildResult child = run_in_sandbox([kind] { return kind.empty() ? std::string() : probe(kind); });
    place = answers.emplace(kind, child.text).first;
  }
  return place->second.empty() ? std::nullopt : std::optional(place->second);
}

void in_sandbox(std::initializer_list<std::string_view> kinds, const std::function<void()>& body) {
  std::optional<std::string> reason = kernel_lacks("");
  for (const std::string_view kind : kinds) {
    if (!reason) reason = kernel_lacks(kind);
  }
  if (reason) {
    MESSAGE("skipped: " << *reason);
    return;
  }
  const ChildResult child = run_in_sandbox(body);
  CHECK_MESSAGE(child.status == 0, "in the sandbox, status " << child.status << ' ' << child.text);
}

std::string shell(const std::string& command) {
  FILE* pipe = ::popen(fmt::format("{{ {}\n}} 2>&1", command).c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("popen");
  std::string text = read_all(::fileno(pipe));
  const int status = exit_status(::pclose(pipe));
  return status == 0 ? text : text + fmt::format("[exit {}]\n", status);
}

}  // namespace netbatch::test
