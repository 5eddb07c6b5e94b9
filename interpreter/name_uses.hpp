// The links that fused requests of a window are about. When such a request is refused, its statements are run one by
// one after the window: so nothing in that window may change what they mean.
#pragma once

#include <cstdint>
#include <vector>

#include "interpreter/operation.hpp"

namespace netbatch {

class NameUses {
 public:
  void add(const Operation& operation, const Operations& owner);
  void add_written(NsId ns, std::string_view name);
  // Whether the operation may change, or be about, a link that is in there.
  bool touches(const Operation& operation, const Operations& owner) const;
  void clear() { uses_.clear(); }

 private:
  struct Use {
    uint64_t hash;  // of namespace and name; two of the same are taken for one link
    bool written;
  };
  std::vector<Use> uses_;
};

}  // namespace netbatch
