// What the figures are held against.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "row.hpp"

namespace netbatch::bench {

using Results = std::map<std::string, Result>;  // by the row's name

void print_header();
void print_row(const Row& row, const Result& result);
// Prints every goal whose figures have been measured: met or not met.
void print_goals(const Results& results);

}  // namespace netbatch::bench
