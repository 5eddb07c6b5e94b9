#include "tests/support/expansion.hpp"

#include "grammar/parser.hpp"

namespace netbatch::test {

std::string expand(std::string text, std::vector<Definition> definitions) {
  grammar::Sources sources;
  grammar::Sources::File file = 0;
  sources.add("test.nb", std::move(text), &file);
  grammar::Script script;
  if (auto error = grammar::parse(sources, file, script)) return grammar::render(*error, sources);
  Namespaces namespaces;
  Expander expander(sources, script, definitions, namespaces);
  Arena arena;
  std::string lines;
  for (;;) {
    Command command;
    Diagnostic error;
    switch (expander.next(arena, command, error)) {
      case Expander::Step::End:
        return lines;
      case Expander::Step::Error:
        for (grammar::Note& note : expander.context()) error.notes.push_back(std::move(note));
        lines += grammar::render(error, sources);
        break;
      case Expander::Step::Command:
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

}  // namespace netbatch::test
