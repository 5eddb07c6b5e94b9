#pragma once

#include <string_view>

#include "interpreter/operation.hpp"

namespace netbatch {

// What went wrong, for failures that the kernel gives no sentence for: by errno and by what was asked. Never empty.
std::string_view sentence(int error, const Operation& operation);

// The errno's name, e.g. "ENODEV".
std::string_view errno_name(int error);

}  // namespace netbatch
