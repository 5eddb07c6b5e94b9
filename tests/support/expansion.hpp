// The commands that a script expands to, as text, for the tests.
#pragma once

#include <string>
#include <vector>

#include "interpreter/expand.hpp"

namespace netbatch::test {

// A line for each command: its words with blanks between them; `[NS] ` before it inside `netns NS { }`; an error as
// render() shows it. The file is called test.nb.
std::string expand(std::string script, std::vector<Definition> definitions = {});

}  // namespace netbatch::test
