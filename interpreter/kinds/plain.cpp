// Kinds without options.
#include "interpreter/kinds/all.hpp"

namespace netbatch {

constexpr Kind kDummy{.name = "dummy"};
constexpr Kind kIfb{.name = "ifb"};
constexpr Kind kNlmon{.name = "nlmon"};
constexpr Kind kVcan{.name = "vcan"};

}  // namespace netbatch
