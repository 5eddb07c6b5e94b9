// `netbatch check` of any script ends, in bounded time and memory, with errors that can be shown; and what it finds
// nothing wrong with can be planned and printed.
#include <cstddef>
#include <cstdlib>

#include "interpreter/planner.hpp"
#include "interpreter/program.hpp"
#include "tests/fuzz/script.hpp"

using namespace netbatch;

namespace {

void show_all(const std::vector<Diagnostic>& diagnostics, const Program& program) {
  for (const Diagnostic& each : diagnostics)
    if (grammar::render(each, program.sources).empty()) std::abort();
}

void plan(Program& program) {
  Operations operations;
  program.rewind();
  program.next(operations, fuzz::kMostSteps);
  if (program.has_errors()) std::abort();
  for (const bool plain : {false, true}) {
    const Plan plan = make_plan(operations, program.namespaces, {.plain = plain, .defer_deletes = true});
    if (plan.sources.size() < operations.list.size()) std::abort();
    to_string(plan, operations, program.namespaces);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::script.assign(reinterpret_cast<const char*>(data), size);
  Program program({}, fuzz::read_script, fuzz::kMostSteps);
  if (program.load("fuzz.nb", fuzz::script)) program.check_names();
  show_all(program.errors, program);
  show_all(program.warnings, program);
  if (!program.has_errors()) plan(program);
  return 0;
}
