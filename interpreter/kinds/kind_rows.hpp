// Shorthand for the tables of link kinds.
#pragma once

#include <linux/if_link.h>

#include "interpreter/kinds.hpp"
#include "interpreter/parse_args.hpp"

namespace netbatch {

constexpr Row kind_number(std::string_view keyword, ValueType type, uint16_t attribute, int64_t max = 0,
                          Match match = Match::Prefix) {
  return {
      .keyword = keyword, .match = match, .type = type, .place = Place::InfoData, .attribute = attribute, .max = max};
}

constexpr Row kind_choice(std::string_view keyword, uint16_t attribute, uint8_t width, std::span<const Choice> choices,
                          Match match = Match::Prefix) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Choice,
          .place = Place::InfoData,
          .attribute = attribute,
          .width = width,
          .choices = choices};
}

// The keyword alone: a number of `width` bytes, or an attribute without a payload.
constexpr Row kind_word(std::string_view keyword, uint16_t attribute, uint64_t fixed = 0, uint8_t width = 0) {
  return {.keyword = keyword,
          .match = Match::Prefix,
          .place = Place::InfoData,
          .attribute = attribute,
          .fixed = fixed,
          .width = width};
}

constexpr Row kind_custom(std::string_view keyword, uint16_t attribute,
                          bool (*parse)(Parser&, const Row&, const Argument&), Match match = Match::Prefix) {
  return {.keyword = keyword,
          .match = match,
          .type = ValueType::Custom,
          .place = Place::InfoData,
          .attribute = attribute,
          .parse = parse};
}

constexpr Row once(Row row) {
  row.once = true;
  return row;
}

// A value that is a C struct of at most 8 bytes, as a number.
template <class Struct>
Value of_struct(const Struct& data) {
  static_assert(sizeof data <= sizeof(uint64_t));
  uint64_t number = 0;
  __builtin_memcpy(&number, &data, sizeof data);
  return Value::of_number(number, sizeof data);
}

template <class Struct>
Struct as_struct(const Value& value) {
  Struct data;
  __builtin_memcpy(&data, &value.number, sizeof data);
  return data;
}

// An Ethernet protocol by its name (802.1Q, 802.1ad …) or number; sent in network byte order.
bool parse_protocol(Parser& parser, const Row& row, const Argument& keyword);

}  // namespace netbatch
