// A command's words become an operation, by the tables.
#pragma once

#include <vector>

#include "grammar/diagnostic.hpp"
#include "interpreter/operation.hpp"

namespace netbatch {

// Appends the operation(s) that `command` asks for to `operations`. On an error appends a Diagnostic to `errors` and
// nothing to `operations.list`; returns false then. `block` is the namespace of the enclosing `netns X { }`, or 0.
bool interpret(const Command& command, NsId block, Namespaces& namespaces, Operations& operations,
               std::vector<grammar::Diagnostic>& errors);

}  // namespace netbatch
