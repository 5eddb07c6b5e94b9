#include "tests/compare/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <utility>

#include "tests/compare/model.hpp"

namespace netbatch::compare {

namespace {

constexpr std::array kNames{"n0", "n1", "n2", "n3", "n4", "eth0"};
constexpr std::array kMtus{1000, 1200, 1280, 1300, 1400, 1400, 1450, 1500, 1500};

class Generator {
 public:
  Generator(uint64_t seed, const std::vector<std::string>& kinds) : random_(seed), kinds_(kinds) {}
  std::string script();

 private:
  // A step appends at most one statement; it may find nothing to do.
  struct Step {
    int weight;
    void (Generator::*make)();
  };
  static const std::vector<Step>& steps();

  void add_veth();
  void add_bridge();
  void add_on_top();
  void add_vxlan();
  void set_options();
  void set_master();
  void move_link();
  void rename_link();
  void delete_link();
  void set_group();
  void delete_group();
  void add_address();
  void delete_address();
  void flush_addresses();
  void add_route();
  void add_neighbour();
  void change_namespace();

  int below(size_t limit) { return static_cast<int>(random_() % limit); }
  bool one_in(int n) { return below(static_cast<size_t>(n)) == 0; }
  std::string mac() { return fmt::format("02:00:00:00:{:x}:{:x}", below(8), below(256)); }
  int mtu() { return kMtus[static_cast<size_t>(below(kMtus.size()))]; }
  bool has_kind(const std::string& kind) const { return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end(); }
  // Null when there is none.
  Link* pick(const std::function<bool(const Link&)>& fits);
  Link* pick() {
    return pick([](const Link&) { return true; });
  }
  std::string pick_name(int ns, const std::string& but = "");
  int pick_ns();
  void say(int ns, const std::string& statement);
  std::string creation_options(Link& link);

  std::mt19937_64 random_;
  const std::vector<std::string>& kinds_;
  Model model_;
  std::string script_;
  int count_ = 0;
  int serial_ = 0;  // for values that must not come twice
};

Link* Generator::pick(const std::function<bool(const Link&)>& fits) {
  std::vector<Link*> found;
  for (Link& link : model_.links()) {
    if (fits(link)) found.push_back(&link);
  }
  return found.empty() ? nullptr : found[static_cast<size_t>(below(found.size()))];
}

std::string Generator::pick_name(int ns, const std::string& but) {
  std::vector<std::string> free;
  for (const char* name : kNames) {
    if (name != but && model_.name_free(name, ns)) free.push_back(name);
  }
  return free.empty() ? "" : free[static_cast<size_t>(below(free.size()))];
}

// The namespace that the script runs in, half of the time: a statement in another one costs a process.
int Generator::pick_ns() {
  const int ns = below(4);
  return ns < 3 && model_.ns_exists(ns) ? ns : 0;
}

void Generator::say(int ns, const std::string& statement) {
  script_ += ns == 0 ? statement : fmt::format("netns exec {} ip {}", model_.ns_name(ns), statement);
  script_ += '\n';
  ++count_;
}

std::string Generator::creation_options(Link& link) {
  std::string options;
  if (one_in(3)) {
    link.mtu = mtu();
    options += fmt::format(" mtu {}", link.mtu);
  }
  if (one_in(3)) options += " address " + mac();
  if (one_in(4)) {
    link.group = 1 + below(3);
    options += fmt::format(" group {}", link.group);
  }
  if (one_in(4)) options += fmt::format(" txqueuelen {}", 10 + below(90));
  return options;
}

void Generator::add_veth() {
  const int ns = pick_ns();
  const int peer_ns = one_in(2) ? pick_ns() : ns;
  const std::string name = pick_name(ns);
  const std::string peer_name = pick_name(peer_ns, peer_ns == ns ? name : "");
  if (name.empty() || peer_name.empty() || (ns != 0 && peer_ns != ns)) return;
  Link& link = model_.add(name, "veth", ns);
  Link& peer = model_.add(peer_name, "veth", peer_ns);
  link.peer = &peer;
  peer.peer = &link;
  std::string statement = "link add name " + name + creation_options(link);
  if (one_in(4)) {
    statement += " up";
    model_.set_up(link, true);
  }
  statement += " type veth peer name " + peer_name;
  if (one_in(3)) {
    peer.mtu = mtu();
    statement += fmt::format(" mtu {}", peer.mtu);
  }
  if (one_in(3)) statement += " address " + mac();
  if (peer_ns != ns) statement += " netns " + model_.ns_name(peer_ns);
  say(ns, statement);
}

void Generator::add_bridge() {
  const int ns = pick_ns();
  const std::string name = pick_name(ns);
  if (name.empty()) return;
  Link& bridge = model_.add(name, has_kind("dummy") && one_in(4) ? "dummy" : "bridge", ns);
  const std::string options = creation_options(bridge);
  say(ns, fmt::format("link add name {}{} type {}", name, options, bridge.kind));
}

void Generator::add_on_top() {
  const bool vlan = has_kind("vlan") && one_in(2);
  if (!vlan && !has_kind("macvlan")) return;
  Link* lower = pick([](const Link& link) { return link.kind == "veth" && link.master == nullptr; });
  if (lower == nullptr) return;
  const std::string name = pick_name(lower->ns);
  if (name.empty()) return;
  Link& link = model_.add(name, vlan ? "vlan" : "macvlan", lower->ns);
  link.lower = lower;
  link.mtu = lower->mtu;
  const std::string kind = vlan ? fmt::format("vlan id {}", ++serial_) : "macvlan mode bridge";
  say(lower->ns, fmt::format("link add name {} link {} type {}", name, lower->name, kind));
}

void Generator::add_vxlan() {
  const int ns = pick_ns();
  const std::string name = pick_name(ns);
  if (name.empty() || !has_kind("vxlan")) return;
  Link& link = model_.add(name, "vxlan", ns);
  const std::string options = creation_options(link);
  say(ns, fmt::format("link add name {}{} type vxlan id {} dstport 4789 remote 10.0.0.9", name, options, ++serial_));
}

// One to three settings in one line, in any order.
void Generator::set_options() {
  Link* link = pick();
  if (link == nullptr) return;
  std::vector<std::string> options;
  const bool mac_is_safe = !link->up || link->carrier_at_once();
  bool up_or_down = true;
  for (int left = 1 + below(3); left > 0; --left) {
    const int choice = below(7);
    if (choice == 0 && (link->lower == nullptr || link->lower->mtu >= 1500)) {
      const int value = mtu();
      model_.set_mtu(*link, value);
      options.push_back(fmt::format("mtu {}", value));
    } else if (choice == 1 && mac_is_safe) {
      options.push_back("address " + mac());
    } else if (choice == 2) {
      link->group = below(4);
      options.push_back(fmt::format("group {}", link->group));
    } else if (choice == 3) {
      options.push_back(fmt::format("txqueuelen {}", 10 + below(90)));
    } else if (choice == 4) {
      options.push_back(fmt::format("alias text{}", below(9)));
    } else if (choice == 5) {
      options.push_back(one_in(2) ? "multicast off" : "promisc on");
    } else if (choice == 6 && up_or_down && (link->lower == nullptr || link->lower->up)) {
      up_or_down = false;
      const bool up = !one_in(4);
      model_.set_up(*link, up);
      options.push_back(up ? "up" : "down");
    }
  }
  // The same option twice is an error.
  std::sort(options.begin(), options.end());
  const auto same = [](const std::string& a, const std::string& b) { return a.substr(0, 3) == b.substr(0, 3); };
  options.erase(std::unique(options.begin(), options.end(), same), options.end());
  std::shuffle(options.begin(), options.end(), random_);
  if (!options.empty()) say(link->ns, fmt::format("link set dev {} {}", link->name, fmt::join(options, " ")));
}

void Generator::set_master() {
  Link* port = pick([&](const Link& link) {
    return (link.kind == "veth" || link.kind == "vxlan" || link.kind == "dummy") && !model_.has_upper(link);
  });
  if (port == nullptr) return;
  if (port->master != nullptr && one_in(3)) {
    port->master = nullptr;
    say(port->ns, fmt::format("link set dev {} nomaster", port->name));
    return;
  }
  Link* bridge = pick([&](const Link& link) { return link.kind == "bridge" && link.ns == port->ns; });
  if (bridge == nullptr) return;
  port->master = bridge;
  std::string more;
  if (one_in(3)) {
    model_.set_up(*port, true);
    more = " up";
  }
  say(port->ns, fmt::format("link set dev {} master {}{}", port->name, bridge->name, more));
}

void Generator::move_link() {
  Link* link = pick([](const Link& any) { return any.kind != "bridge"; });
  const int ns = 1 + below(2);
  if (link == nullptr || !model_.ns_exists(ns) || link->ns == ns || !model_.name_free(link->name, ns)) return;
  const bool rename = one_in(4);
  const std::string name = rename ? pick_name(ns) : link->name;
  if (name.empty()) return;
  const int from = link->ns;
  std::string statement = fmt::format("link set dev {} netns {}", link->name, model_.ns_name(ns));
  model_.move(*link, ns);
  if (name != link->name) statement += " name " + name;
  link->name = name;
  if (one_in(4) && link->lower == nullptr) {
    statement += " up";
    model_.set_up(*link, true);
  }
  say(from, statement);
}

void Generator::rename_link() {
  Link* link = pick();
  if (link == nullptr) return;
  const std::string name = pick_name(link->ns);
  if (name.empty()) return;
  const std::string old = std::exchange(link->name, name);
  say(link->ns, fmt::format("link set dev {} name {}", old, name));
}

void Generator::delete_link() {
  Link* link = pick();
  if (link == nullptr) return;
  say(link->ns, "link del dev " + link->name);
  model_.remove(*link);
}

void Generator::set_group() {
  const int group = 1 + below(3);
  std::vector<Link*> members;
  for (Link& link : model_.links()) {
    if (link.ns == 0 && link.group == group && link.lower == nullptr) members.push_back(&link);
    if (link.ns == 0 && link.group == group && link.lower != nullptr) return;
  }
  if (members.empty()) return;
  const bool up = one_in(2);
  for (Link* link : members) up ? model_.set_up(*link, true) : model_.set_mtu(*link, 1350);
  say(0, fmt::format("link set group {} {}", group, up ? "up" : "mtu 1350"));
}

void Generator::delete_group() {
  const int group = 1 + below(3);
  const auto member = [&](const Link& link) { return link.ns == 0 && link.group == group; };
  if (pick(member) == nullptr) return;
  say(0, fmt::format("link del group {}", group));
  while (Link* link = pick(member)) model_.remove(*link);
}

void Generator::add_address() {
  Link* link = pick();
  if (link == nullptr) return;
  const bool ipv6 = link->mtu >= 1280 && one_in(2);
  const std::string address =
      ipv6 ? fmt::format("fd0{}::{}/64", below(3), 1 + below(5)) : fmt::format("10.{}.0.{}/24", below(3), 1 + below(5));
  if (std::find(link->addresses.begin(), link->addresses.end(), address) != link->addresses.end()) return;
  link->addresses.push_back(address);
  say(link->ns, fmt::format("addr add {} dev {}{}", address, link->name, ipv6 ? " nodad" : ""));
}

// The last one only: an earlier one may be the primary address of others.
void Generator::delete_address() {
  Link* link = pick([](const Link& any) { return !any.addresses.empty(); });
  if (link == nullptr) return;
  say(link->ns, fmt::format("addr del {} dev {}", link->addresses.back(), link->name));
  link->addresses.pop_back();
}

void Generator::flush_addresses() {
  Link* link = pick([](const Link& any) { return !any.addresses.empty(); });
  if (link == nullptr) return;
  say(link->ns, fmt::format("addr flush dev {} scope global", link->name));
  link->addresses.clear();
}

void Generator::add_route() {
  Link* link = pick([](const Link& any) { return any.up; });
  if (link == nullptr) return;
  const char* verb = one_in(3) ? "replace" : "add";
  say(link->ns, fmt::format("route {} 10.{}.0.0/16 dev {} metric {}", verb, 100 + ++serial_, link->name, below(3)));
}

void Generator::add_neighbour() {
  Link* link = pick([](const Link& any) { return any.up; });
  if (link == nullptr || !has_kind("neigh")) return;
  say(link->ns, fmt::format("neigh replace 10.0.0.{} lladdr {} dev {}", 100 + below(5), mac(), link->name));
}

void Generator::change_namespace() {
  const int ns = 1 + below(2);
  if (model_.ns_exists(ns) && (!one_in(3) || !model_.closed(ns))) return;
  say(0, fmt::format("netns {} {}", model_.ns_exists(ns) ? "del" : "add", model_.ns_name(ns)));
  model_.set_ns(ns, !model_.ns_exists(ns));
}

const std::vector<Generator::Step>& Generator::steps() {
  static const std::vector<Step> all{
      {14, &Generator::add_veth},      {6, &Generator::add_bridge},       {4, &Generator::add_on_top},
      {2, &Generator::add_vxlan},      {24, &Generator::set_options},     {8, &Generator::set_master},
      {4, &Generator::move_link},      {8, &Generator::rename_link},      {6, &Generator::delete_link},
      {2, &Generator::set_group},      {1, &Generator::delete_group},     {10, &Generator::add_address},
      {2, &Generator::delete_address}, {1, &Generator::flush_addresses},  {4, &Generator::add_route},
      {2, &Generator::add_neighbour},  {6, &Generator::change_namespace},
  };
  return all;
}

std::string Generator::script() {
  int total = 0;
  for (const Step& step : steps()) total += step.weight;
  const int wanted = 10 + below(31);
  while (count_ < wanted) {
    int place = below(static_cast<size_t>(total));
    for (const Step& step : steps()) {
      place -= step.weight;
      if (place >= 0) continue;
      (this->*step.make)();
      break;
    }
  }
  return script_;
}

}  // namespace

std::string generate(uint64_t seed, const std::vector<std::string>& kinds) { return Generator(seed, kinds).script(); }

}  // namespace netbatch::compare
