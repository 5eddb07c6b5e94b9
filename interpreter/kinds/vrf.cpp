#include "interpreter/kinds/all.hpp"
#include "interpreter/kinds/kind_rows.hpp"
#include "interpreter/names.hpp"

namespace netbatch {
namespace {

bool parse_table(Parser& parser, const Row& row, const Argument& keyword) {
  constexpr std::string_view kNeeds = "a routing table's name or number";
  const Argument* word = parser.value(keyword, kNeeds);
  if (word == nullptr) return false;
  uint32_t table = 0;
  if (!find_name(NameFile::Table, word->text, table)) return parser.needs(keyword, kNeeds, word);
  parser.put(row, joined(keyword.span, word->span), Value::of_number(table, 4));
  return true;
}

constexpr Row kRows[] = {kind_custom("table", IFLA_VRF_TABLE, parse_table)};

}  // namespace

constexpr Kind kVrf{.name = "vrf", .rows = kRows, .movable = false};

}  // namespace netbatch
