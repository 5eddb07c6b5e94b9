#include "interpreter/free_names.hpp"

#include <charconv>

namespace netbatch {
namespace {

constexpr size_t kHighest = 1'000'000;

}  // namespace

std::string FreeNames::take(Transport& transport, NsId ns, uint32_t identity, std::string_view prefix) {
  auto [place, added] = pools_.try_emplace({identity, std::string(prefix)});
  Pool& pool = place->second;
  if (added) {
    std::vector<std::string> names;
    if (transport.link_names(ns, names) != 0) {
      pools_.erase(place);
      return {};
    }
    for (const std::string& name : names) {
      if (!name.starts_with(prefix)) continue;
      size_t number = 0;
      const char* begin = name.data() + prefix.size();
      const char* end = name.data() + name.size();
      auto [stop, error] = std::from_chars(begin, end, number);
      const bool canonical = stop == end && error == std::errc{} && (*begin != '0' || end == begin + 1);
      if (!canonical || number >= kHighest) continue;
      if (number >= pool.used.size()) pool.used.resize(number + 1);
      pool.used[number] = true;
    }
  }
  while (pool.next < pool.used.size() && pool.used[pool.next]) ++pool.next;
  return std::string(prefix) + std::to_string(pool.next++);
}

}  // namespace netbatch
