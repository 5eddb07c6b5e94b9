#include "tests/compare/dump.hpp"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/compare/process.hpp"

namespace netbatch::compare {

namespace {

constexpr std::array kQueries{"link", "addr", "route", "neigh", "proxy", "heard", "rule", "nsid"};
constexpr std::string_view kCommands =
    "link show\naddr show\nroute show table all\nneigh show nud permanent\nneigh show proxy\n"
    "neigh show nud stale nud reachable nud incomplete\nrule show\nnetns list-id\n";

using NetnsFiles = std::map<std::string, Fd>;

NetnsFiles open_namespaces() {
  NetnsFiles files;
  files.emplace("main", Fd(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)));
  if (!std::filesystem::exists("/run/netns")) return files;
  for (const auto& entry : std::filesystem::directory_iterator("/run/netns")) {
    files.emplace(entry.path().filename().string(), Fd(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC)));
  }
  return files;
}

void enter(const Fd& netns, const std::string& name) {
  if (setns(netns.get(), CLONE_NEWNET) != 0) throw std::runtime_error("cannot enter the namespace " + name);
}

// RTM_GETLINK of one link makes the kernel handle a pending carrier change of it first (6.8 and later).
unsigned synchronised_flags(int socket, unsigned index) {
  struct {
    nlmsghdr header;
    ifinfomsg info;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.info.ifi_index = static_cast<int>(index);
  alignas(nlmsghdr) std::array<char, 32768> reply;
  if (send(socket, &request, sizeof request, 0) < 0) return 0;
  const ssize_t size = recv(socket, reply.data(), reply.size(), 0);
  const auto* header = reinterpret_cast<const nlmsghdr*>(reply.data());
  if (size < static_cast<ssize_t>(sizeof request) || header->nlmsg_type != RTM_NEWLINK) return 0;
  return static_cast<const ifinfomsg*>(NLMSG_DATA(header))->ifi_flags;
}

using Flags = std::map<std::string, unsigned>;

Flags synchronise_links(const NetnsFiles& files) {
  Flags flags;
  for (const auto& [name, file] : files) {
    enter(file, name);
    const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (struct if_nameindex* links = if_nameindex()) {
      for (auto* link = links; link->if_index != 0; ++link) {
        flags[name + "/" + link->if_name] = synchronised_flags(socket.get(), link->if_index);
      }
      if_freenameindex(links);
    }
  }
  enter(files.at("main"), "main");
  return flags;
}

bool kernel_synchronises_on_get() {
  utsname name{};
  unsigned major = 0;
  unsigned minor = 0;
  uname(&name);
  return std::sscanf(name.release, "%u.%u", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 8));
}

// A carrier change climbs one layer (veth, bridge, VLAN) per round.
void settle(const NetnsFiles& files) {
  // Older kernels handle pending carrier changes once a second.
  if (!kernel_synchronises_on_get()) usleep(1'200'000);
  Flags before;
  for (int round = 0; round < 10; ++round) {
    Flags now = synchronise_links(files);
    if (round > 1 && now == before) return;
    before = std::move(now);
  }
}

nlohmann::json read_namespace(const Fd& netns, const std::string& name) {
  const Fd commands = memory_file(kCommands);
  const Fd output = memory_file("");
  const Fd errors = memory_file("");
  const int status =
      run_process({"ip", "-d", "-j", "-batch", "-"}, {commands.get(), output.get(), errors.get(), netns.get()});
  if (status != 0) throw std::runtime_error("ip -batch could not read the namespace " + name + ": " + read_all(errors));
  std::istringstream text(read_all(output));
  nlohmann::json state;
  for (const char* query : kQueries) text >> state[query];
  return state;
}

}  // namespace

nlohmann::json dump_namespaces() {
  const NetnsFiles files = open_namespaces();
  settle(files);
  nlohmann::json all;
  for (const auto& [name, file] : files) all[name] = read_namespace(file, name);
  return all;
}

}  // namespace netbatch::compare
