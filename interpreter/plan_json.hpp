// The plan for programs: one JSON object per operation, each on a line, in script order.
#pragma once

#include <string>

#include "grammar/source.hpp"
#include "interpreter/difference.hpp"
#include "interpreter/irreversible.hpp"
#include "interpreter/plan.hpp"

namespace netbatch {

// `first_request` is how many requests the plans of the script before this one have. An object holds the source place
// (file, line, column), the statement, the operation as a line of an `ip` batch file, its namespace ("" is the one that
// netbatch runs in), the numbers, from 1, of the requests that carry it out and of which kind they are, and what a
// rollback cannot take back of it: `losses` are those of `operations`. Of `ensure` and `absent`, which are there as the
// operations that are left of them, the first one has what they find different; where nothing is left to do, an object
// of its own says so.
std::string to_json(const Plan& plan, const Operations& operations, const Namespaces& namespaces,
                    const grammar::Sources& sources, size_t first_request, std::span<const Irreversible> losses,
                    std::span<const Difference> differences);

}  // namespace netbatch
