#include "tests/compare/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "tests/compare/script_text.hpp"

namespace netbatch::compare {

using nlohmann::json;

namespace {

// Timers, identifiers made from MAC addresses or port numbers, and what is said elsewhere in better form.
const std::set<std::string> kLinkChance{"ifindex", "link_index", "link_netnsid", "link", "permaddr", "address"};
const std::set<std::string> kKindChance{"bridge_id",
                                        "root_id",
                                        "root_port",
                                        "topology_change",
                                        "topology_change_detected",
                                        "hello_timer",
                                        "tcn_timer",
                                        "topology_change_timer",
                                        "gc_timer",
                                        "id",
                                        "no",
                                        "designated_port",
                                        "hold_timer",
                                        "message_age_timer",
                                        "forward_delay_timer",
                                        "topology_change_ack",
                                        "config_pending",
                                        "perm_hwaddr"};
const std::set<std::string> kNumericIds{"vxlan", "vlan", "geneve", "bareudp"};  // `id` is the user's there
// Duplicate address detection takes seconds, and a link's default queue appears when its carrier first does.
const std::set<std::string> kAddressChance{"tentative", "optimistic", "dadfailed"};

struct Link {
  const json* data = nullptr;
  std::string place;  // "c1/eth0"
  std::string kind;
  std::string mac;
  bool no_carrier = false;
};

class Normaliser {
 public:
  Normaliser(const json& namespaces, std::string_view script)
      : namespaces_(namespaces), literals_(find_literals(script)) {}
  State lines() {
    index_links();
    for (const auto& [name, state] : namespaces_.items()) add_namespace(name, state);
    std::sort(lines_.begin(), lines_.end());
    return std::move(lines_);
  }

 private:
  using Key = std::pair<std::string, int>;  // namespace, index

  void index_links();
  void add_namespace(const std::string& name, const json& state);
  void add_link(const Link& link, const std::string& ns);
  void add_addresses(const Link& link, const json& addresses);
  void add_routes(const std::string& ns, const json& routes);
  void add_fields(const std::string& prefix, const json& value);
  json lower(const std::string& ns, const Link& link) const;
  std::string shown_mac(const std::string& ns, const Link& link) const;
  bool without_carrier(const std::string& ns, const json& route) const;
  bool literal(const std::string& mac) const { return literals_.macs.count(mac) != 0; }
  std::vector<const Link*> ports(const std::string& ns, const Link& bridge) const;

  const json& namespaces_;
  const Literals literals_;
  std::map<Key, Link> links_;
  State lines_;
};

bool has_flag(const json& link, const char* flag) {
  return std::find(link["flags"].begin(), link["flags"].end(), flag) != link["flags"].end();
}

std::string text(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void Normaliser::index_links() {
  for (const auto& [ns, state] : namespaces_.items()) {
    for (const json& data : state["link"]) {
      const json info = data.value("linkinfo", json::object());
      links_[{ns, data["ifindex"]}] = {&data, ns + "/" + data["ifname"].get<std::string>(), info.value("info_kind", ""),
                                       data.value("address", ""), has_flag(data, "NO-CARRIER")};
    }
  }
}

// The link under (or the peer of) a link, wherever it is: ip names it, or gives its index in another namespace.
json Normaliser::lower(const std::string& ns, const Link& link) const {
  const json& data = *link.data;
  if (!data.contains("link_netnsid")) return data.value("link", json());
  std::string other = "main";
  for (const json& id : namespaces_.at(ns)["nsid"]) {
    if (id["nsid"] == data["link_netnsid"]) other = id.value("name", "main");
  }
  const auto found = links_.find({other, data.value("link_index", 0)});
  return found == links_.end() ? "in " + other : found->second.place;
}

std::vector<const Link*> Normaliser::ports(const std::string& ns, const Link& bridge) const {
  std::vector<const Link*> found;
  for (const auto& [key, link] : links_) {
    if (key.first == ns && link.data->value("master", "") == (*bridge.data)["ifname"]) found.push_back(&link);
  }
  return found;
}

// A bridge has the lowest address of its ports: which one that is, only chance decides when some are random.
std::string Normaliser::shown_mac(const std::string& ns, const Link& link) const {
  const std::vector<const Link*> all = ports(ns, link);
  const bool random_port = std::any_of(all.begin(), all.end(), [&](auto* port) { return !literal(port->mac); });
  const bool of_port = std::any_of(all.begin(), all.end(), [&](auto* port) { return port->mac == link.mac; });
  if (random_port && of_port) return "<of a port>";
  if (literal(link.mac)) return link.mac;
  const json under = lower(ns, link);
  for (const auto& [key, other] : links_) {
    const bool is_lower = under.is_string() && (other.place == under || other.place == ns + "/" + text(under));
    if (is_lower && other.mac == link.mac) return "<of the link below>";
  }
  return "<random>";
}

void Normaliser::add_fields(const std::string& prefix, const json& value) {
  if (!value.is_object()) {
    lines_.push_back(fmt::format("{} = {}", prefix, text(value)));
    return;
  }
  for (const auto& [key, inner] : value.items()) add_fields(fmt::format("{} {}", prefix, key), inner);
}

json without_chance(const json& info) {
  json kept = info;
  const bool user_id = kNumericIds.count(info.value("info_kind", "")) != 0;
  for (const char* part : {"info_data", "info_slave_data"}) {
    if (!kept.contains(part)) continue;
    for (const std::string& key : kKindChance) {
      if (key != "id" || !user_id || std::string_view(part) == "info_slave_data") kept[part].erase(key);
    }
  }
  return kept;
}

void Normaliser::add_link(const Link& link, const std::string& ns) {
  json data = *link.data;
  const std::string prefix = link.place + ":";
  const int index = data["ifindex"];
  for (const std::string& key : kLinkChance) data.erase(key);
  if (data["qdisc"] == "noop" || data["qdisc"] == "noqueue") data.erase("qdisc");
  json flags = json::array();
  for (const json& flag : data["flags"]) {
    if (flag != "M-DOWN") flags.push_back(flag);  // the state of the link below, from ip's own cache
  }
  data["flags"] = flags;
  if (data.contains("linkinfo")) data["linkinfo"] = without_chance(data["linkinfo"]);
  if (link.no_carrier) data.erase("operstate");
  if (literals_.indexes.count(index) != 0) data["ifindex"] = index;
  data["address"] = shown_mac(ns, link);
  data["link"] = lower(ns, link);
  add_fields(prefix, data);
}

// In the kernel's order: it decides which address is primary. A link that lost its carrier soon after it got it has a
// link-local address or not: only chance decides. The same holds for its routes and operational state.
void Normaliser::add_addresses(const Link& link, const json& addresses) {
  int place = 0;
  for (json address : addresses) {
    if (!address.contains("local") && !address.contains("address")) continue;
    for (const std::string& key : kAddressChance) address.erase(key);
    const std::string mac = mac_of_eui64(address.value("local", ""));
    if (link.no_carrier && !mac.empty()) continue;
    const bool chance = !mac.empty() && (link.kind == "bridge" || !literal(mac));
    if (chance) address["local"] = "fe80::<from a MAC>";
    lines_.push_back(fmt::format("{}: addr {} = {}", link.place, place++, address.dump()));
  }
}

bool Normaliser::without_carrier(const std::string& ns, const json& route) const {
  const std::string dst = route["dst"];
  if (dst != "fe80::/64" && dst != "ff00::/8") return false;
  return std::any_of(links_.begin(), links_.end(), [&](const auto& entry) {
    return entry.second.no_carrier && entry.second.place == ns + "/" + route.value("dev", "");
  });
}

// Routes with the same key stay in the kernel's order, which append and prepend decide. The kernel's own routes of one
// key (fe80::/64, ff00::/8) come in the order of carrier events. IPv6 local and anycast routes come with the address
// when duplicate address detection ends.
void Normaliser::add_routes(const std::string& ns, const json& routes) {
  std::map<std::string, int> seen;
  for (const json& route : routes) {
    const std::string type = route.value("type", "");
    const bool kernel = route.value("protocol", "") == "kernel";
    const bool ipv6 = route.contains("pref");
    if (ipv6 && kernel && (type == "local" || type == "anycast" || without_carrier(ns, route))) continue;
    const std::string key = fmt::format("{} {} table {} metric {}", type, text(route["dst"]), route.value("table", ""),
                                        route.value("metric", 0));
    const int place = kernel ? 0 : seen[key]++;
    lines_.push_back(fmt::format("{}: route {} ({}) = {}", ns, key, place, route.dump()));
  }
}

void Normaliser::add_namespace(const std::string& name, const json& state) {
  lines_.push_back(name + ": exists");
  std::map<int, json> addresses;
  for (const json& link : state["addr"]) {
    if (link.contains("ifindex")) addresses[link["ifindex"]] = link["addr_info"];
  }
  for (const auto& [key, link] : links_) {
    if (key.first != name) continue;
    add_link(link, name);
    add_addresses(link, addresses[key.second]);
  }
  add_routes(name, state["route"]);
  for (const json& neighbour : state["neigh"]) lines_.push_back(fmt::format("{}: neigh {}", name, neighbour.dump()));
  for (const json& neighbour : state["proxy"]) lines_.push_back(fmt::format("{}: proxy {}", name, neighbour.dump()));
  // How sure the kernel is of such an entry changes. Of IPv6, and without an address (a vxlan asks for its remote), the
  // kernel makes them by itself; no neighbour answers here.
  for (json neighbour : state["heard"]) {
    if (text(neighbour["dst"]).find(':') != std::string::npos) continue;
    if (!neighbour.contains("lladdr") && !neighbour.contains("managed")) continue;
    neighbour.erase("state");
    lines_.push_back(fmt::format("{}: neigh {}", name, neighbour.dump()));
  }
  for (const json& rule : state["rule"]) lines_.push_back(fmt::format("{}: rule {}", name, rule.dump()));
}

}  // namespace

State normalise(const json& namespaces, std::string_view script) { return Normaliser(namespaces, script).lines(); }

std::string difference(const State& expected, const State& actual) {
  State missing;
  State surplus;
  std::set_difference(expected.begin(), expected.end(), actual.begin(), actual.end(), std::back_inserter(missing));
  std::set_difference(actual.begin(), actual.end(), expected.begin(), expected.end(), std::back_inserter(surplus));
  State both;
  for (const std::string& line : missing) both.push_back(line + "\t-");
  for (const std::string& line : surplus) both.push_back(line + "\t+");
  std::sort(both.begin(), both.end());
  std::string shown;
  for (const std::string& line : both) {
    shown += fmt::format("  {} {}\n", line.back(), std::string_view(line).substr(0, line.size() - 2));
  }
  return shown;
}

}  // namespace netbatch::compare
