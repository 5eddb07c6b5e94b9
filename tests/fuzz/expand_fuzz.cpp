// Any script that can be parsed expands to an end, in bounded time and memory: to commands whose words are in place and
// short, and to errors that can be shown.
#include <cstddef>
#include <cstdlib>

#include "interpreter/expand.hpp"
#include "tests/fuzz/script.hpp"

using namespace netbatch;

namespace {

constexpr uint64_t kMostEvents = 2 * fuzz::kMostSteps;
constexpr size_t kLongestWord = 4096;

void demand(bool condition) {
  if (!condition) std::abort();
}

void check(const Command& command, const grammar::Sources& sources) {
  sources.text(command.span);
  for (const Argument& argument : command.arguments) {
    sources.text(argument.span);
    demand(argument.text.size() <= kLongestWord);
    demand(argument.kind == ArgumentKind::Word || argument.text.empty());
  }
}

void expand(Scripts& scripts, size_t most_events) {
  Namespaces namespaces;
  Expander expander(scripts, {}, namespaces, fuzz::kMostSteps);
  Arena arena;
  Command command;
  Diagnostic error;
  for (size_t events = 0;; ++events) {
    demand(events <= most_events);
    arena.clear();
    const Expander::Step step = expander.next(arena, command, error);
    if (step == Expander::Step::End) return;
    if (step == Expander::Step::Command) {
      check(command, scripts.sources());
    } else {
      demand(!grammar::render(error, scripts.sources()).empty());
      error = {};
    }
    expander.context();
    namespaces.name(expander.block());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::script.assign(reinterpret_cast<const char*>(data), size);
  grammar::Sources sources;
  Scripts scripts(sources, fuzz::read_script);
  std::optional<Diagnostic> error;
  if (scripts.load("fuzz.nb", fuzz::script, error) != 0 || error) return 0;
  expand(scripts, kMostEvents + 2 * scripts.main().statements.size());
  return 0;
}
