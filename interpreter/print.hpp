// Text for the terminal. A write that fails (a full disk, a closed pipe) never ends a run half-way: it is told at the
// end.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace netbatch {

template <class... Arguments>
void print(std::FILE* file, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), file);
}

}  // namespace netbatch
