// Statements that the kernel refuses, and what the tools say of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/compare/runner.hpp"
#include "tests/compare/state.hpp"

namespace netbatch::compare {

// Links, addresses and a namespace that the refused statements need. Its names are used nowhere else.
std::string_view fault_ground();

// A statement that nothing but the kernel can know to fail after fault_ground(), one of several by `choice`.
std::string_view fault(size_t choice);

std::vector<std::string> lines_of(std::string_view script);

// The lines [first, last) as a script.
std::string script_of(const std::vector<std::string>& lines, size_t first, size_t last);

// How many lines the first statements of a script take together: where another statement may be put. Continued lines
// and blocks of comments are kept together.
std::vector<size_t> places_for_a_statement(const std::vector<std::string>& lines);

// The facts that can be compared: without the address of a bridge that was made of zeros in the state `before`, as it
// is when its last port has left. Nothing can set it to that again.
State without_lost_addresses(State state, const State& before);

// What of the state before the run is not there any more, and what is new, but for what nothing can put back.
std::string restorable_difference(const Outcome& outcome);

// The lines of the script, from 1, that the tool says have failed, in its order. ip may say one twice, and says none
// where a word of it is wrong.
std::vector<int> failed_lines(const std::string& errors);

}  // namespace netbatch::compare
