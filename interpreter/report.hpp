// Failures as diagnostics.
#pragma once

#include "interpreter/outcome.hpp"
#include "interpreter/program.hpp"

namespace netbatch {

Diagnostic describe(const Failure& failure, const Operations& operations, const Program& program);

}  // namespace netbatch
