// Whether a run has done its work: asked of the kernel, with the runner's own requests. All throw std::runtime_error
// with what was expected and what was found.
#pragma once

#include "row.hpp"

namespace netbatch::bench {

void verify_pairs(const Case& of);
void verify_no_links(const Case& of);
void verify_deleted_pairs(const Case& of);
void verify_set(const Case& of);
void verify_set_one(const Case& of);
void verify_containers(const Case& of);
// Nothing has been made, and a mistake in the last line is found.
void verify_check(const Case& of);

}  // namespace netbatch::bench
