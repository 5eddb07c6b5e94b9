// `ip netns add|delete`.
#pragma once

#include "interpreter/parse_args.hpp"

namespace netbatch {

bool parse_netns(const ParseContext& context, std::string_view command, Verb verb);

}  // namespace netbatch
