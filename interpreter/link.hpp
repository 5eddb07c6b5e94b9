// `ip link add|set|change|replace|delete|property`.
#pragma once

#include "interpreter/parse_args.hpp"

namespace netbatch {

// Row::attribute of Place::Header in a link message.
enum : uint16_t { kHeaderFlags = 0, kHeaderIndex = 1 };

const RowTable& link_table();

// The words after the verb.
bool parse_link(const ParseContext& context, std::string_view command, Verb verb);
// The words after `property`.
bool parse_link_property(const ParseContext& context);

}  // namespace netbatch
