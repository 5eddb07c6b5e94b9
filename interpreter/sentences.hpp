#pragma once

#include <string_view>

#include "interpreter/operation.hpp"

namespace netbatch {

// What went wrong, by errno and by what was asked.
struct Advice {
  std::string_view text;               // never empty
  Option option = Option::Other;       // the option at fault; Other: not known
  bool says_more_than_kernel = false;  // even where the kernel has a sentence of its own
};
Advice advise(int error, const Operation& operation, const Operations& owner);

// Null when the operation does not have the option.
const Attr* find_option(Option option, const Operation& operation, const Operations& owner);

// The errno's name, e.g. "ENODEV".
std::string_view errno_name(int error);

}  // namespace netbatch
