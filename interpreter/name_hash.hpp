// One hash for the names of links, which are short and differ in their last bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "interpreter/operation.hpp"

namespace netbatch {

inline uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64u);
}

inline uint64_t name_hash(NsId ns, std::string_view name) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  constexpr uint64_t kOther = 0xd1b54a32d192ed03;
  uint64_t hash = mix(kOdd ^ ns, kOther ^ name.size());
  while (!name.empty()) {
    uint64_t bytes = 0;
    const size_t size = std::min(name.size(), sizeof bytes);
    std::memcpy(&bytes, name.data(), size);
    hash = mix(hash ^ bytes, kOdd);
    name.remove_prefix(size);
  }
  return mix(hash, kOther);
}

}  // namespace netbatch
