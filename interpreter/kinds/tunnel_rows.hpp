// What vxlan and geneve have in common.
#pragma once

#include <fmt/format.h>

#include "interpreter/kinds/kind_rows.hpp"
#include "interpreter/names.hpp"

namespace netbatch {

constexpr int64_t kMaxVni = (1 << 24) - 1;
constexpr int64_t kMaxFlowLabel = 0xfffff;

inline Attr* find_attribute(Parser& parser, uint16_t attribute) {
  for (Attr& attr : parser.stored()) {
    if (attr.row->place == Place::InfoData && attr.row->attribute == attribute) return &attr;
  }
  return nullptr;
}

// A DSCP name, a hexadecimal number or `inherit`, which is sent as 1.
inline bool parse_tos(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "a name of /etc/iproute2/rt_dsfield, a hexadecimal number or 'inherit'";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  uint32_t tos = 1;
  if (word->text != "inherit" && !find_name(NameFile::DsField, word->text, tos))
    return parser.needs(keyword, kNeeds, word);
  parser.put(row, parser.since(keyword), Value::of_number(tos, 1));
  return true;
}

inline const IpAddress to_address(const Value& value) {
  IpAddress address;
  address.family = value.family;
  __builtin_memcpy(address.bytes.data(), value.data, value.size);
  return address;
}

}  // namespace netbatch
