// `ip route add|change|replace|append|prepend|delete`.
#pragma once

#include "interpreter/parse_args.hpp"

namespace netbatch {

bool parse_route(const ParseContext& context, std::string_view command, Verb verb);

}  // namespace netbatch
