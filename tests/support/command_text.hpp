// Makes a Command of a line of text for the tests, without the language: blanks separate words, "…" is a quoted word,
// and braces and newlines are the arguments of a block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostic.hpp"
#include "interpreter/interpret.hpp"

namespace netbatch::tests {

class CommandText {
 public:
  explicit CommandText(std::string text) {
    sources.add("test.nb", std::move(text), &file_);
    split(sources.text(file_));
    const uint32_t base = sources.base(file_);
    const auto size = static_cast<uint32_t>(sources.text(file_).size());
    command = {{base, base + size}, arguments};
  }

  grammar::Sources sources;
  std::vector<Argument> arguments;
  Command command;

 private:
  void split(std::string_view text) {
    size_t i = 0;
    while (i < text.size()) {
      if (text[i] == ' ') {
        ++i;
      } else if (text[i] == '{' || text[i] == '}' || text[i] == '\n') {
        const ArgumentKind kind = text[i] == '{'   ? ArgumentKind::Open
                                  : text[i] == '}' ? ArgumentKind::Close
                                                   : ArgumentKind::Line;
        add(text, i, i + 1, kind, false);
        ++i;
      } else if (text[i] == '"') {
        const size_t end = text.find('"', i + 1);
        add(text, i + 1, end, ArgumentKind::Word, true);
        i = end + 1;
      } else {
        const size_t end = std::min(text.find_first_of(" {}\n", i), text.size());
        add(text, i, end, ArgumentKind::Word, false);
        i = end;
      }
    }
  }
  void add(std::string_view text, size_t begin, size_t end, ArgumentKind kind, bool quoted) {
    const uint32_t base = sources.base(file_);
    arguments.push_back({text.substr(begin, end - begin),
                         {base + static_cast<uint32_t>(begin), base + static_cast<uint32_t>(end)},
                         kind,
                         quoted});
  }

  grammar::Sources::File file_ = 0;
};

// What is said about a line that cannot be interpreted; empty when it can.
inline std::string error_of(const std::string& line) {
  const CommandText text(line);
  Namespaces namespaces;
  Operations operations;
  std::vector<grammar::Diagnostic> errors;
  const bool good = interpret(text.command, 0, namespaces, operations, errors);
  if (good == operations.list.empty() || good != errors.empty() || (!good && !operations.attrs.empty())) {
    return "the result and what is left behind do not agree";
  }
  std::string rendered;
  for (const grammar::Diagnostic& error : errors) rendered += grammar::render(error, text.sources);
  return rendered;
}

}  // namespace netbatch::tests
