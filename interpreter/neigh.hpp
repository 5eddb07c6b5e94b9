// `ip neighbour add|change|replace|delete`.
#pragma once

#include "interpreter/parse_args.hpp"

namespace netbatch {

bool parse_neigh(const ParseContext& context, std::string_view command, Verb verb);

}  // namespace netbatch
