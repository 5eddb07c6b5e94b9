#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

constexpr Choice kModes[] = {{"l2", IPVLAN_MODE_L2}, {"l3", IPVLAN_MODE_L3}, {"l3s", IPVLAN_MODE_L3S}};

constexpr Row flag(std::string_view keyword, uint64_t fixed) {
  return once(kind_word(keyword, IFLA_IPVLAN_FLAGS, fixed, 2));
}

constexpr Row kBridgeFlag = flag("bridge", 0);

constexpr Row kRows[] = {
    kind_choice("mode", IFLA_IPVLAN_MODE, 2, kModes),
    flag("private", IPVLAN_F_PRIVATE),
    flag("vepa", IPVLAN_F_VEPA),
    kBridgeFlag,
};

// iproute2 sends the flags with every option, so that not giving one is `bridge`.
bool finish(Parser& parser, Verb) {
  if (parser.find(kBridgeFlag) == nullptr) parser.put(kBridgeFlag, parser.op.kind_span, Value::of_number(0, 2));
  return true;
}

}  // namespace

constexpr Kind kIpvlan{.name = "ipvlan", .rows = kRows, .needs_link = true, .finish = finish};
constexpr Kind kIpvtap{.name = "ipvtap", .rows = kRows, .needs_link = true, .finish = finish};

}  // namespace netbatch
