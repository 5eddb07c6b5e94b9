// Every kind that has a table; kinds.cpp lists them.
#pragma once

#include "interpreter/kinds.hpp"

namespace netbatch {

extern const Kind kVeth, kVxcan;
extern const Kind kBridge, kBridgeSlave;
extern const Kind kVlan;
extern const Kind kMacvlan, kMacvtap;
extern const Kind kIpvlan, kIpvtap;
extern const Kind kVxlan;
extern const Kind kGeneve;
extern const Kind kVrf;
extern const Kind kBond, kBondSlave;
extern const Kind kDummy, kIfb, kNlmon, kVcan;

}  // namespace netbatch
