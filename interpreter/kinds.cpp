#include "interpreter/kinds.hpp"

#include <arpa/inet.h>
#include <linux/if_ether.h>

#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"

namespace netbatch {
namespace {

constexpr const Kind* kKinds[] = {&kVeth,      &kBridge, &kBridgeSlave, &kVlan,   &kMacvlan, &kMacvtap,
                                  &kIpvlan,    &kIpvtap, &kVxlan,       &kGeneve, &kVrf,     &kBond,
                                  &kBondSlave, &kDummy,  &kIfb,         &kNlmon,  &kVcan,    &kVxcan};

// Those that a link can be told to use; others by number.
constexpr Choice kProtocols[] = {{"802.1Q", ETH_P_8021Q},    {"802.1ad", ETH_P_8021AD},  {"ip", ETH_P_IP},
                                 {"ipv6", ETH_P_IPV6},       {"arp", ETH_P_ARP},         {"all", ETH_P_ALL},
                                 {"mpls_uc", ETH_P_MPLS_UC}, {"mpls_mc", ETH_P_MPLS_MC}, {"teb", ETH_P_TEB}};

}  // namespace

const Kind* find_kind(std::string_view name) {
  for (const Kind* kind : kKinds) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

std::span<const Kind* const> all_kinds() { return kKinds; }

bool parse_protocol(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "an Ethernet protocol such as '802.1Q' or '802.1ad'";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  uint64_t number = 0;
  const Row choice{.keyword = row.keyword, .choices = kProtocols};
  if (const Choice* found = find_choice(choice, word->text)) {
    number = found->value;
  } else if (read_unsigned(word->text, number) != NumberError::None || number > 0xffff) {
    return parser.needs(keyword, kNeeds, word);
  }
  parser.put(row, joined(keyword.span, word->span), Value::of_number(htons(static_cast<uint16_t>(number)), 2));
  return true;
}

}  // namespace netbatch
