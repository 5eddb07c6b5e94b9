// The commands that a script expands to, as text, for the tests.
#pragma once

#include <string>
#include <vector>

#include "interpreter/expand.hpp"

namespace netbatch::test {

// A line for each command: its words with blanks between them; `(N) ` before it inside the Nth transaction, `[NS] `
// inside `netns NS { }`; an error that has a message as
// render() shows it. The file is called test.nb.
std::string expand(std::string script, std::vector<Definition> definitions = {});
// The same with what `read` finds at `path`.
std::string expand_file(const std::string& path, Scripts::Reader read, std::vector<Definition> definitions = {});

}  // namespace netbatch::test
