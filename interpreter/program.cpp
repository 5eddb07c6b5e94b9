#include "interpreter/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "interpreter/interpret.hpp"

namespace netbatch {

bool Program::load(const std::string& file) {
  std::optional<Diagnostic> error;
  return loaded(file, scripts_.load(file, error), error);
}

bool Program::load(std::string name, std::string text) {
  std::optional<Diagnostic> error;
  const std::string shown = name;
  return loaded(shown, scripts_.load(std::move(name), std::move(text), error), error);
}

bool Program::loaded(const std::string& file, int failure, std::optional<Diagnostic>& error) {
  if (failure != 0) unreadable = fmt::format("cannot read '{}': {}", file, std::strerror(failure));
  if (error) errors.push_back(std::move(*error));
  if (has_errors()) return false;
  add_definitions();
  rewind();
  return true;
}

void Program::rewind() {
  expander_.emplace(scripts_, definitions_, namespaces, most_steps_);
  operation_count = 0;
}

void Program::next(Operations& operations, size_t limit) {
  std::vector<Diagnostic> found;
  Command command;
  Diagnostic error;
  while (operations.list.size() < limit) {
    const size_t before = operations.list.size();
    const Arena::Mark text_before = operations.text.mark();
    switch (expander_->next(operations.text, command, error)) {
      case Expander::Step::End:
        refuse_unused_definitions();
        return;
      case Expander::Step::Error:
        report(std::exchange(error, {}));
        break;
      case Expander::Step::Command:
        interpret(command, expander_->block(), namespaces, operations, found);
        for (size_t i = before; i < operations.list.size(); ++i) {
          operations.list[i].transaction = expander_->transaction();
          if (checker_) checker_->see(operations.list[i], operations, found);
        }
        for (Diagnostic& each : found) report(std::move(each));
        found.clear();
        operation_count += operations.list.size() - before;
        break;
    }
    if (more_errors) return;
    // An error in a long loop leaves nothing behind.
    if (operations.list.size() == before) operations.text.rewind(text_before);
  }
}

void Program::check() {
  Operations operations;
  size_t last = SIZE_MAX;
  while (operation_count != last && !more_errors) {
    last = operation_count;
    operations.clear();
    next(operations, 1);  // the memory of one statement
  }
  find_unused_variables();
}

void Program::check_names() {
  checker_.emplace(namespaces);
  check();
  checker_.reset();
}

// The definitions of the command line as a file, for messages about them.
void Program::add_definitions() {
  std::string text;
  for (const Definition& definition : definitions_)
    text += fmt::format("-D {}={}\n", definition.name, definition.value);
  grammar::Sources::File file = 0;
  if (!sources.add("<command line>", std::move(text), &file)) return;
  uint32_t begin = sources.base(file);
  for (Definition& definition : definitions_) {
    begin += 3;
    definition.span = {begin, begin + static_cast<uint32_t>(definition.name.size())};
    begin = definition.span.end + static_cast<uint32_t>(definition.value.size()) + 2;
  }
}

void Program::refuse_unused_definitions() {
  for (const Definition& definition : expander_->unused_definitions())
    report({.span = definition.span,
            .message = fmt::format("the script has no 'let {}' outside of blocks", definition.name)});
}

// N.B. From the script as it is written: a loop that does not run uses its variables, too.
void Program::find_unused_variables() {
  std::unordered_set<std::string_view> used;
  scripts_.each([&](const grammar::Script& script) {
    for (const grammar::Token& token : script.tokens)
      if (token.kind == grammar::TokenKind::Name) used.insert(sources.text(token.span));
  });
  size_t more = 0;
  scripts_.each([&](const grammar::Script& script) {
    for (const grammar::Statement& statement : script.statements) {
      if (statement.kind != grammar::StatementKind::Let) continue;
      const grammar::Span name = script.words[statement.first_word].span;
      if (used.contains(sources.text(name))) continue;
      if (warnings.size() == kMostErrors) {
        ++more;
        continue;
      }
      warnings.push_back({.severity = Diagnostic::Severity::Warning,
                          .span = name,
                          .message = fmt::format("the variable '{}' is never used", sources.text(name))});
    }
  });
  if (more != 0) warnings.back().notes.push_back({fmt::format("and so are {} more", more), {}});
}

// Each cause once, not once per iteration of a loop, nor once per use of what it leaves without a value.
void Program::report(Diagnostic error) {
  if (error.message.empty()) return;
  const bool known =
      std::any_of(errors.begin(), errors.end(), [&](const Diagnostic& other) { return other.span == error.span; });
  more_errors = known ? ++repeated_ == kMostRepeated : errors.size() == kMostErrors;
  if (known || more_errors) return;
  for (grammar::Note& note : expander_->context()) error.notes.push_back(std::move(note));
  errors.push_back(std::move(error));
}

std::vector<grammar::Note> Program::context_of(size_t index) {
  if (index < operation_count) rewind();
  Operations operations;
  while (operation_count <= index) {
    operations.clear();
    const size_t before = operation_count;
    next(operations, 1);
    if (operation_count == before) break;
  }
  return expander_->context();
}

}  // namespace netbatch
