#include "interpreter/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_set>

#include "interpreter/interpret.hpp"
#include "netlink/descriptor.hpp"

namespace netbatch {
namespace {

// Reads to the end; 0 or errno.
int read_all(int fd, std::string& text) {
  constexpr size_t kStep = 1 << 20;
  size_t size = 0;
  for (;;) {
    text.resize(size + std::max(kStep, size / 2));
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    size += static_cast<size_t>(got);
    if (got > 0) continue;
    text.resize(size);
    text.shrink_to_fit();
    return 0;
  }
}

}  // namespace

bool Program::load(const std::string& file) {
  std::string text;
  int error = 0;
  if (file == "-") {
    error = read_all(STDIN_FILENO, text);
  } else {
    const netlink::Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    error = descriptor ? read_all(descriptor.get(), text) : errno;
  }
  if (error == 0) return load(file == "-" ? "<stdin>" : file, std::move(text));
  load(file, "");
  errors.push_back({.span = {}, .message = fmt::format("cannot read '{}': {}", file, std::strerror(error))});
  return false;
}

bool Program::load(std::string name, std::string text) {
  grammar::Sources::File file = 0;
  if (!sources.add(name, std::move(text), &file)) {
    sources.add(std::move(name), "", &file);
    errors.push_back({.span = {}, .message = "the script is longer than 4 GiB"});
    return false;
  }
  if (auto error = grammar::parse(sources, file, script_)) {
    errors.push_back(std::move(*error));
    return false;
  }
  add_definitions();
  rewind();
  return true;
}

void Program::rewind() {
  expander_.emplace(sources, script_, definitions_, namespaces);
  operation_count = 0;
}

void Program::next(Operations& operations, size_t limit) {
  std::vector<Diagnostic> found;
  while (operations.list.size() < limit) {
    Command command;
    Diagnostic error;
    const size_t before = operations.list.size();
    switch (expander_->next(operations.text, command, error)) {
      case Expander::Step::End:
        refuse_unused_definitions();
        return;
      case Expander::Step::Error:
        report(std::move(error));
        break;
      case Expander::Step::Command:
        if (!interpret(command, expander_->block(), namespaces, operations, found))
          for (Diagnostic& each : found) report(std::move(each));
        found.clear();
        operation_count += operations.list.size() - before;
        break;
    }
    if (errors.size() >= kMostErrors) return;
  }
}

void Program::check() {
  Operations operations;
  size_t last = SIZE_MAX;
  while (operation_count != last && errors.size() < kMostErrors) {
    last = operation_count;
    operations.clear();
    next(operations, 4096);
  }
  find_unused_variables();
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
  for (const grammar::Token& token : script_.tokens)
    if (token.kind == grammar::TokenKind::Name) used.insert(sources.text(token.span));
  for (const grammar::Statement& statement : script_.statements) {
    if (statement.kind != grammar::StatementKind::Let) continue;
    const grammar::Span name = script_.words[statement.first_word].span;
    if (used.contains(sources.text(name))) continue;
    warnings.push_back({.severity = Diagnostic::Severity::Warning,
                        .span = name,
                        .message = fmt::format("the variable '{}' is never used", sources.text(name))});
  }
}

// Each cause once, not once per iteration of a loop.
void Program::report(Diagnostic error) {
  const bool known =
      std::any_of(errors.begin(), errors.end(), [&](const Diagnostic& other) { return other.span == error.span; });
  if (known) return;
  for (grammar::Note& note : expander_->context()) error.notes.push_back(std::move(note));
  errors.push_back(std::move(error));
}

std::vector<grammar::Note> Program::context_of(size_t index) {
  rewind();
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
