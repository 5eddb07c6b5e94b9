// Kinds that are made in pairs.
#include <linux/can/vxcan.h>
#include <linux/veth.h>

#include "interpreter/kinds/all.hpp"

namespace netbatch {

constexpr Kind kVeth{.name = "veth", .has_peer = true, .peer_attribute = VETH_INFO_PEER};
constexpr Kind kVxcan{.name = "vxcan", .has_peer = true, .peer_attribute = VXCAN_INFO_PEER};

}  // namespace netbatch
