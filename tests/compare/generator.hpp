// Random scripts that nearly always succeed: few names, so that they collide, are freed and are used again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace netbatch::compare {

// The same script for the same seed and kinds. "veth" and "bridge" are always used; "macvlan", "vxlan", "vlan", "dummy"
// and the object "neigh" when they are among `kinds`. 10 to 40 statements in up to three namespaces. Steps whose end
// state depends on how soon the kernel handles carrier changes are left out.
std::string generate(uint64_t seed, const std::vector<std::string>& kinds);

}  // namespace netbatch::compare
