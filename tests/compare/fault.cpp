#include "tests/compare/fault.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>

namespace netbatch::compare {

namespace {

constexpr std::string_view kGround =
    "link add name fault0 up type bridge\n"
    "link add name fault1 mtu 1400 type veth peer name fault2\n"
    "addr add 198.51.100.1/24 dev fault0\n"
    "netns add faultns\n";

constexpr std::array<std::string_view, 16> kFaults{
    "link set dev nosuch0 up",
    "link add name lo type bridge",
    "link set dev fault1 mtu 99999999",
    "link set dev fault1 master nosuch0",
    "addr add 198.51.100.1/24 dev fault0",
    "route add 203.0.113.0/24 via 192.0.2.77",
    "netns exec nosuchns ip link set dev lo up",
    "link set dev fault1 mtu 1300 master lo",  // the MTU is set, then lo has no ports
    "link add name fault9 type veth peer name fault2",
    "link del dev lo",
    "link set dev fault1 name fault0",
    "addr del 198.51.100.9/24 dev fault0",
    "netns add faultns",
    "link set dev fault1 address 01:00:00:00:00:01",
    "link set dev fault0 netns faultns",
    "netns exec faultns ip link set dev nosuch0 up",
};

// What cannot be put back: the queue discipline that a link gets when it is first up, the limit that a bridge takes
// from its ports, and the promiscuity of a link that was set down before a macvlan on it was deleted.
constexpr std::array kLasting{": qdisc = ", ": tso_max_size = ", ": promiscuity = "};

State restorable_part(const nlohmann::json& namespaces, const std::string& addresses, const State& before) {
  State state = without_lost_addresses(normalise(namespaces, addresses), before);
  std::erase_if(state, [](const std::string& line) {
    return std::any_of(kLasting.begin(), kLasting.end(),
                       [&](const char* field) { return line.find(field) != std::string::npos; });
  });
  return state;
}

}  // namespace

std::string_view fault_ground() { return kGround; }

std::string_view fault(size_t choice) { return kFaults[choice % kFaults.size()]; }

std::vector<std::string> lines_of(std::string_view script) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(script)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string script_of(const std::vector<std::string>& lines, size_t first, size_t last) {
  std::string script;
  for (size_t i = first; i < last; ++i) script += lines[i] + "\n";
  return script;
}

std::vector<size_t> places_for_a_statement(const std::vector<std::string>& lines) {
  std::vector<size_t> places;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool says_nothing = lines[i].empty() || lines[i][0] == '#';
    const bool continues = i > 0 && lines[i - 1].ends_with('\\');
    if (!says_nothing && !continues) places.push_back(i);
  }
  places.push_back(lines.size());
  return places;
}

State without_lost_addresses(State state, const State& before) {
  constexpr std::string_view kField = ": address = ";
  std::erase_if(state, [&](const std::string& line) {
    const size_t end = line.find(kField);
    if (end == std::string::npos || line.substr(0, end).ends_with("/lo")) return false;
    return std::binary_search(before.begin(), before.end(),
                              line.substr(0, end) + std::string(kField) + "00:00:00:00:00:00");
  });
  return state;
}

// All MAC addresses are compared, since nothing was to change them.
std::string restorable_difference(const Outcome& outcome) {
  const std::string addresses = outcome.before.dump();
  const State before = normalise(outcome.before, addresses);
  return difference(restorable_part(outcome.before, addresses, before),
                    restorable_part(outcome.namespaces, addresses, before));
}

std::vector<int> failed_lines(const std::string& errors) {
  static const std::regex pattern("Command failed [^\n]*:([0-9]+)|:([0-9]+):[0-9]+: error: ");
  std::vector<int> lines;
  const std::sregex_iterator end;
  for (std::sregex_iterator match(errors.begin(), errors.end(), pattern); match != end; ++match)
    lines.push_back(std::stoi((*match)[1].matched ? (*match)[1].str() : (*match)[2].str()));
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace netbatch::compare
