#include "interpreter/names.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "interpreter/value.hpp"

namespace netbatch {
namespace {

struct BuiltIn {
  const char* name;
  uint32_t number;
};

struct FileInfo {
  const char* path;
  const char* directory;  // more files, NAME.conf; or null
  uint32_t max;
  int base;  // of a number written instead of a name
  std::initializer_list<BuiltIn> names;
};

const FileInfo& info(NameFile file) {
  static const std::array<FileInfo, 6> kFiles{{
      {"/etc/iproute2/group", nullptr, 0x7fffffff, 0, {{"default", 0}}},
      {"/etc/iproute2/rt_tables",
       "/etc/iproute2/rt_tables.d",
       0xffffffff,
       0,
       {{"default", 253}, {"main", 254}, {"local", 255}}},
      {"/etc/iproute2/rt_protos",
       "/etc/iproute2/rt_protos.d",
       255,
       0,
       {{"unspec", 0}, {"redirect", 1}, {"kernel", 2},      {"boot", 3},   {"static", 4},    {"gated", 8},
        {"ra", 9},     {"mrt", 10},     {"zebra", 11},      {"bird", 12},  {"dnrouted", 13}, {"xorp", 14},
        {"ntk", 15},   {"dhcp", 16},    {"keepalived", 18}, {"babel", 42}, {"bgp", 186},     {"isis", 187},
        {"ospf", 188}, {"rip", 189},    {"eigrp", 192}}},
      {"/etc/iproute2/rt_scopes",
       nullptr,
       255,
       0,
       {{"global", 0}, {"nowhere", 255}, {"host", 254}, {"link", 253}, {"site", 200}}},
      {"/etc/iproute2/rt_realms", nullptr, 255, 0, {{"unknown", 0}}},
      {"/etc/iproute2/rt_dsfield", nullptr, 255, 16, {}},
  }};
  return kFiles[static_cast<size_t>(file)];
}

void read_file(const std::filesystem::path& path, std::vector<NumberName>& names) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  parse_names(text.str(), names);
}

std::vector<NumberName> load(NameFile file) {
  const FileInfo& facts = info(file);
  std::vector<NumberName> names;
  for (const BuiltIn& name : facts.names) names.push_back({name.name, name.number});
  read_file(facts.path, names);
  std::error_code error;
  if (facts.directory != nullptr) {
    for (const auto& entry : std::filesystem::directory_iterator(facts.directory, error)) {
      if (entry.path().extension() == ".conf") read_file(entry.path(), names);
    }
  }
  return names;
}

const std::vector<NumberName>& names_of(NameFile file) {
  static std::array<std::vector<NumberName>, 6> tables;
  static std::array<bool, 6> loaded{};
  const auto index = static_cast<size_t>(file);
  if (!loaded[index]) {
    tables[index] = load(file);
    loaded[index] = true;
  }
  return tables[index];
}

}  // namespace

void parse_names(std::string_view text, std::vector<NumberName>& names) {
  constexpr std::string_view kBlank = " \t\r";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    line.remove_prefix(begin);
    const size_t number_end = line.find_first_of(kBlank);
    if (number_end == std::string_view::npos) continue;
    uint64_t number = 0;
    const std::string_view digits = line.substr(0, number_end);
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (read_unsigned(digits, number, base) != NumberError::None || number > 0xffffffff) continue;
    line.remove_prefix(number_end);
    const size_t name_begin = line.find_first_not_of(kBlank);
    if (name_begin == std::string_view::npos || line[name_begin] == '#') continue;
    line.remove_prefix(name_begin);
    names.push_back({std::string(line.substr(0, line.find_first_of(kBlank))), static_cast<uint32_t>(number)});
  }
}

bool find_name(NameFile file, std::string_view word, uint32_t& number) {
  for (const NumberName& name : names_of(file)) {
    if (name.name == word && name.number <= info(file).max) {
      number = name.number;
      return true;
    }
  }
  uint64_t value = 0;
  if (read_unsigned(word, value, info(file).base) != NumberError::None || value > info(file).max) return false;
  number = static_cast<uint32_t>(value);
  return true;
}

std::vector<std::string_view> all_names(NameFile file) {
  std::vector<std::string_view> result;
  for (const NumberName& name : names_of(file)) result.push_back(name.name);
  return result;
}

}  // namespace netbatch
