// iproute2's files of names for numbers: /etc/iproute2/group, rt_tables (and rt_tables.d/*.conf), rt_protos, rt_scopes,
// rt_realms and rt_dsfield. Read once, at the first use of each; names built in serve where a file is missing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netbatch {

enum class NameFile : uint8_t { Group, Table, Protocol, Scope, Realm, DsField };

// The number that `word` names, or is: any base, DsField hexadecimal, within the file's range. False if neither.
bool find_name(NameFile file, std::string_view word, uint32_t& number);

// The names of a file, for suggestions.
std::vector<std::string_view> all_names(NameFile file);

struct NumberName {
  std::string name;
  uint32_t number;
};
// Adds the `number name` lines of a file's text; numbers are decimal or 0x…. Other lines are passed over.
void parse_names(std::string_view text, std::vector<NumberName>& names);

}  // namespace netbatch
