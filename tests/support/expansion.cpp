#include "tests/support/expansion.hpp"

#include "interpreter/scripts.hpp"

namespace netbatch::test {

namespace {

std::string expand_all(Scripts& scripts, const std::vector<Definition>& definitions) {
  const grammar::Sources& sources = scripts.sources();
  Namespaces namespaces;
  Expander expander(scripts, definitions, namespaces);
  Arena arena;
  std::string lines;
  for (;;) {
    Command command;
    Diagnostic error;
    switch (expander.next(arena, command, error)) {
      case Expander::Step::End:
        return lines;
      case Expander::Step::Error:
        if (error.message.empty()) break;
        for (grammar::Note& note : expander.context()) error.notes.push_back(std::move(note));
        lines += grammar::render(error, sources);
        break;
      case Expander::Step::Command:
        if (expander.transaction() != 0) lines += "(" + std::to_string(expander.transaction()) + ") ";
        if (expander.block() != 0) lines += "[" + namespaces.name(expander.block()) + "] ";
        for (size_t i = 0; i < command.arguments.size(); ++i) {
          const Argument& argument = command.arguments[i];
          if (i != 0) lines += ' ';
          lines += argument.kind == ArgumentKind::Open    ? "{"
                   : argument.kind == ArgumentKind::Close ? "}"
                   : argument.kind == ArgumentKind::Line  ? "|"
                                                          : std::string(argument.text);
        }
        lines += '\n';
    }
  }
}

}  // namespace

std::string expand(std::string text, std::vector<Definition> definitions) {
  grammar::Sources sources;
  Scripts scripts(sources);
  std::optional<Diagnostic> error;
  if (scripts.load("test.nb", std::move(text), error) != 0) return "not loaded\n";
  return error ? grammar::render(*error, sources) : expand_all(scripts, definitions);
}

std::string expand_file(const std::string& path, Scripts::Reader read, std::vector<Definition> definitions) {
  grammar::Sources sources;
  Scripts scripts(sources, read);
  std::optional<Diagnostic> error;
  if (scripts.load(path, error) != 0) return "not loaded\n";
  return error ? grammar::render(*error, sources) : expand_all(scripts, definitions);
}

}  // namespace netbatch::test
