// What a script says literally, for the normaliser.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace netbatch::compare {

struct Literals {
  std::set<std::string> macs;  // six groups of two lower-case digits; the all-zero address is always among them
  std::set<int> indexes;       // after the keyword `index`
};

Literals find_literals(std::string_view script);

// The MAC address that an EUI-64 interface identifier was made from, or empty: "fe80::ff:fe00:1" -> 02:00:00:00:00:01.
std::string mac_of_eui64(const std::string& address);

}  // namespace netbatch::compare
