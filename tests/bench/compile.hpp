// What netbatch does before it sends anything: a script is parsed, expanded and planned, piece by piece as in a run.
#pragma once

#include "row.hpp"

namespace netbatch::bench {

// Each makes a script for veth pairs and returns what turns it into a plan; that throws when the plan is wrong.
std::function<void()> compile_loop(const Case& of);
std::function<void()> compile_lines(const Case& of);

}  // namespace netbatch::bench
