// The lowest free names PREFIX0, PREFIX1 …, as the kernel would pick them. The kernel looks through all links for each
// new one; this looks once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/transport.hpp"

namespace netbatch {

class FreeNames {
 public:
  // The lowest free name, which is taken from then on. Empty when the links of the namespace could not be listed.
  std::string take(Transport& transport, NsId ns, uint32_t identity, std::string_view prefix);
  // After something that may free or take names.
  void forget() { pools_.clear(); }

 private:
  struct Pool {
    std::vector<bool> used;
    size_t next = 0;  // all below are used
  };
  std::map<std::pair<uint32_t, std::string>, Pool, std::less<>> pools_;
};

}  // namespace netbatch
