// The floors: the cheapest known request streams, with no script to read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "row.hpp"

namespace netbatch::bench {

// A bridge takes 1,023 ports.
constexpr size_t kPortsPerBridge = 1000;
size_t bridge_count(size_t containers);
size_t bridge_of(size_t container, size_t containers);
// 10.BRIDGE.0.1 and, on that bridge's /16, the container's own; host byte order.
uint32_t bridge_address(size_t bridge);
uint32_t container_address(size_t container, size_t containers);
std::string dotted(uint32_t address);

void make_pairs(const Case& of);  // `total` pairs v0-p0, v1-p1 …
void make_host(const Case& of);   // `total` links, pairs too

std::function<void()> floor_add_pairs(const Case& of);
std::function<void()> floor_delete_pairs(const Case& of);
std::function<void()> floor_set(const Case& of);
std::function<void()> floor_containers(const Case& of);

}  // namespace netbatch::bench
