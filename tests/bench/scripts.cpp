#include "scripts.hpp"

#include <fmt/ostream.h>

#include <fstream>
#include <stdexcept>

#include "floor.hpp"

namespace netbatch::bench {

namespace {

enum class Peer { kMoved, kPlaced };
constexpr size_t kLinesPerContainer = 10;

std::ofstream create(const std::string& path) {
  std::ofstream file(path);
  if (!file) throw std::runtime_error("cannot write " + path);
  return file;
}

std::vector<Command> one_batch(const Case& of, void (*script)(const Case&, const std::string&)) {
  const std::string path = of.directory / "batch";
  script(of, path);
  return {{of.ip, "-batch", path}};
}

void write_bridges(std::ostream& out, size_t count, bool up) {
  for (size_t i = 0; i < count; ++i) {
    fmt::print(out, "link add br{} type bridge\naddr add {}/16 dev br{}\n", i, dotted(bridge_address(i)), i);
    if (up) fmt::print(out, "link set br{} up\n", i);
  }
}

void write_outside(std::ostream& out, size_t i, size_t bridge, Peer peer) {
  fmt::print(out, "netns add c{}\n", i);
  if (peer == Peer::kPlaced) {
    fmt::print(out, "link add v{} type veth peer name eth0 netns c{}\n", i, i);
  } else {
    fmt::print(out, "link add v{} type veth peer name p{}\nlink set p{} netns c{}\n", i, i, i, i);
  }
  fmt::print(out, "link set v{} master br{}\nlink set v{} up\n", i, bridge, i);
}

// `prefix` is what chooses the namespace; empty where the command line has done so.
void write_inside(std::ostream& out, size_t i, size_t containers, Peer peer, const std::string& prefix) {
  if (peer == Peer::kMoved) fmt::print(out, "{}link set p{} name eth0\n", prefix, i);
  fmt::print(out, "{}link set lo up\n{}link set eth0 up\n", prefix, prefix);
  fmt::print(out, "{}addr add {}/16 dev eth0\n", prefix, dotted(container_address(i, containers)));
  fmt::print(out, "{}route add default via {}\n", prefix, dotted(bridge_address(bridge_of(i, containers))));
}

std::vector<Command> ip_batches(const Case& of, Peer peer) {
  std::vector<Command> commands{{of.ip, "-batch", of.directory / "host"}};
  std::ofstream host = create(of.directory / "host");
  write_bridges(host, bridge_count(of.units), false);
  for (size_t i = 0; i < of.units; ++i) {
    write_outside(host, i, bridge_of(i, of.units), peer);
    const std::string name = fmt::format("c{}", i);
    std::ofstream inside = create(of.directory / name);
    write_inside(inside, i, of.units, peer, "");
    commands.push_back({of.ip, "-n", name, "-batch", of.directory / name});
  }
  std::ofstream last = create(of.directory / "last");
  for (size_t i = 0; i < bridge_count(of.units); ++i) fmt::print(last, "link set br{} up\n", i);
  commands.push_back({of.ip, "-batch", of.directory / "last"});
  return commands;
}

void write_containers(const Case& of, const std::string& path, Peer peer) {
  std::ofstream out = create(path);
  write_bridges(out, bridge_count(of.units), true);
  for (size_t i = 0; i < of.units; ++i) write_outside(out, i, bridge_of(i, of.units), peer);
  for (size_t i = 0; i < of.units; ++i) write_inside(out, i, of.units, peer, fmt::format("-n c{} ", i));
}

}  // namespace

std::vector<Command> ip_add_pairs(const Case& of) { return one_batch(of, script_add_pairs); }
std::vector<Command> ip_delete_pairs(const Case& of) { return one_batch(of, script_delete_pairs); }
std::vector<Command> ip_set(const Case& of) { return one_batch(of, script_set); }
std::vector<Command> ip_set_one(const Case& of) { return one_batch(of, script_set_one); }
std::vector<Command> ip_containers(const Case& of) { return ip_batches(of, Peer::kMoved); }
std::vector<Command> ip_placed_containers(const Case& of) { return ip_batches(of, Peer::kPlaced); }

void script_add_pairs(const Case& of, const std::string& path) {
  std::ofstream out = create(path);
  for (size_t i = 0; i < of.units; ++i) fmt::print(out, "link add v{} type veth peer name p{}\n", i, i);
}

void script_delete_pairs(const Case& of, const std::string& path) {
  std::ofstream out = create(path);
  for (size_t i = 0; i < of.units; ++i) fmt::print(out, "link del v{}\n", i);
}

void script_set(const Case& of, const std::string& path) {
  std::ofstream out = create(path);
  for (size_t i = 0; i < of.units; ++i) {
    fmt::print(out, "link set v{} mtu 1400\nlink set v{} alias port-{}\nlink set v{} up\n", i, i, i, i);
  }
}

void script_set_one(const Case&, const std::string& path) { create(path) << "link set v0 mtu 1400\n"; }

void script_containers(const Case& of, const std::string& path) { write_containers(of, path, Peer::kMoved); }

void script_placed_containers(const Case& of, const std::string& path) { write_containers(of, path, Peer::kPlaced); }

void script_lines(const Case& of, const std::string& path) {
  std::ofstream out = create(path);
  const size_t containers = of.units / kLinesPerContainer;
  for (size_t i = 0; i < containers; ++i) {
    write_outside(out, i, bridge_of(i, containers), Peer::kMoved);
    write_inside(out, i, containers, Peer::kMoved, fmt::format("-n c{} ", i));
  }
}

}  // namespace netbatch::bench
