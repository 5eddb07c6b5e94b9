// Text to AST. The only translation unit that knows PEGTL is parser.cpp.
#pragma once

#include <optional>

#include "grammar/ast.hpp"
#include "grammar/diagnostic.hpp"

namespace netbatch::grammar {

// Parses the file. `#line` directives are recorded in `sources`. On a syntax error returns it as a Diagnostic and
// leaves `script` unspecified; parsing stops at the first error.
std::optional<Diagnostic> parse(Sources& sources, Sources::File file, Script& script);

}  // namespace netbatch::grammar
