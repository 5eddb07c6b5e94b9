// `ip address add|change|replace|delete|flush`.
#pragma once

#include "interpreter/parse_args.hpp"

namespace netbatch {

bool parse_addr(const ParseContext& context, std::string_view command, Verb verb);
bool parse_addr_flush(const ParseContext& context);

}  // namespace netbatch
