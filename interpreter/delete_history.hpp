// A link may be gone when its turn to be deleted comes, because an earlier delete of the same script took it along (a
// veth peer, a VLAN on top). That is a success; a link that was never there is not.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "interpreter/outcome.hpp"
#include "interpreter/stats.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

class DeleteHistory {
 public:
  void begin(const Operations& operations);
  // Before the first delete of a plan: which of the links that it deletes exist now.
  // `known`: of those, the ones that `found_already` tells of; it asks about all others.
  void look_up(Transport& transport, Stats& stats, std::span<const uint32_t> known = {},
               std::span<const LinkInfo> found_already = {});
  // Operation `index` is a delete that found no link: was there one, which an earlier delete took along?
  bool tolerates(uint32_t index, const Outcomes& outcomes);

 private:
  bool deletes(uint32_t index) const;
  bool exists_after(const Operation& operation, const Operation& gone, bool exists) const;
  const Operations* operations_ = nullptr;
  bool looked_up_ = false;
  std::vector<bool> existed_;  // by operation
};

}  // namespace netbatch
