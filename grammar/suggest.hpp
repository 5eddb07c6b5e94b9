#pragma once

#include <span>
#include <string_view>

namespace netbatch::grammar {

// The candidate that `word` was most likely meant to be, or an empty view when none is near enough to be worth saying.
std::string_view suggest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace netbatch::grammar
