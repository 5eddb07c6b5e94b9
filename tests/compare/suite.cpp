#include "tests/compare/suite.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/compare/runner.hpp"

namespace netbatch::compare {

namespace {

// A script that fails where the kernel lacks the kind, or the ability; of the other kinds `link add name probe type
// KIND` does.
const std::map<std::string, std::string> kProbes{
    {"vxlan", "link add name probe type vxlan id 1 dstport 4789"},
    {"vlan", "link add name v0 type veth peer name v1\nlink add name probe link v0 type vlan id 5"},
    {"macvlan", "link add name v0 type veth peer name v1\nlink add name probe link v0 type macvlan"},
    {"vlan_filtering", "link add name probe type bridge vlan_filtering 1"},
    {"rename_while_up", "link add name v0 type veth peer name v1\nlink set dev v0 up\nlink set dev v0 name probe"},
};

bool probe(const std::string& kind) {
  const auto found = kProbes.find(kind);
  const std::string script = found != kProbes.end() ? found->second : "link add name probe type " + kind;
  return Run({"ip", {"ip", "-batch", "{}"}}, script + "\n").finish().status == 0;
}

}  // namespace

std::vector<Script> read_scripts(const std::string& directory) {
  std::vector<Script> scripts;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".batch") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    scripts.push_back({entry.path().stem().string(), text.str()});
  }
  if (scripts.empty()) throw std::runtime_error("no scripts in " + directory);
  std::sort(scripts.begin(), scripts.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return scripts;
}

bool kernel_has(const std::string& kind) {
  static std::map<std::string, bool> known;
  if (known.count(kind) == 0) known[kind] = probe(kind);
  return known[kind];
}

std::vector<std::string> missing_needs(std::string_view script) {
  constexpr std::string_view kMark = "# needs:";
  std::vector<std::string> missing;
  if (script.substr(0, kMark.size()) != kMark) return missing;
  std::istringstream line(std::string(script.substr(kMark.size(), script.find('\n') - kMark.size())));
  for (std::string kind; line >> kind;) {
    if (!kernel_has(kind)) missing.push_back(kind);
  }
  return missing;
}

std::vector<Tool> tools(const std::vector<std::string>& more) {
  const char* path = std::getenv("NETBATCH");
  const std::string netbatch = path != nullptr ? path : NETBATCH_BINARY;
  std::vector<Tool> all{{"ip -batch", {"ip", "-batch", "{}"}},
                        {"netbatch --no-plan", {netbatch, "run", "--no-plan"}},
                        {"netbatch", {netbatch, "run"}}};
  for (size_t tool = 1; tool < all.size(); ++tool) {
    all[tool].command.insert(all[tool].command.end(), more.begin(), more.end());
    all[tool].command.push_back("{}");
  }
  return all;
}

}  // namespace netbatch::compare
