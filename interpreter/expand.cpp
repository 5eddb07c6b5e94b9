#include "interpreter/expand.hpp"

#include <fmt/format.h>

#include <charconv>

namespace netbatch {
namespace {

using grammar::Statement;
using grammar::StatementKind;
using grammar::Word;
using grammar::WordKind;

ArgumentKind kind_of(WordKind kind) {
  switch (kind) {
    case WordKind::Open:
      return ArgumentKind::Open;
    case WordKind::Close:
      return ArgumentKind::Close;
    case WordKind::Line:
      return ArgumentKind::Line;
    default:
      return ArgumentKind::Word;
  }
}

// A number where it is one, as after `let`; else the text.
Scalar value_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return text;
}

}  // namespace

Expander::Expander(const grammar::Sources& sources, const grammar::Script& script,
                   std::span<const Definition> definitions, Namespaces& namespaces)
    : sources_(sources),
      script_(script),
      definitions_(definitions),
      definition_used_(definitions.size()),
      namespaces_(namespaces),
      evaluator_(sources, scope_) {
  frames_.push_back({.end = static_cast<uint32_t>(script.statements.size())});
}

Expander::Step Expander::next(Arena& arena, Command& command, Diagnostic& error) {
  for (;;) {
    Frame& frame = frames_.back();
    if (frame.index >= frame.end) {
      if (frame.loop != nullptr && frame.current < frame.last) {
        ++frame.current;
        frame.index = frame.body;
        if (!bind_loop(arena, error)) return Step::Error;
        continue;
      }
      if (frames_.size() == 1) return Step::End;
      leave();
      continue;
    }
    const uint32_t index = frame.index;
    const Statement& statement = script_.statements[index];
    frame.index = statement.end;
    if (statement.kind != StatementKind::Command) {
      if (!enter(statement, index, arena, error)) return Step::Error;
      continue;
    }
    if (!fill(statement, arena, error)) return Step::Error;
    command = {statement.span, arguments_};
    return Step::Command;
  }
}

bool Expander::fill(const Statement& statement, Arena& arena, Diagnostic& error) {
  arguments_.resize(statement.word_count);
  const Word* word = script_.words.data() + statement.first_word;
  for (Argument& argument : arguments_) {
    argument = {{}, word->span, kind_of(word->kind), word->quoted};
    if (argument.kind == ArgumentKind::Word) {
      auto text = evaluator_.text(script_, *word, arena, error);
      if (!text) return false;
      argument.text = *text;
    }
    ++word;
  }
  return true;
}

bool Expander::enter(const Statement& statement, uint32_t index, Arena& arena, Diagnostic& error) {
  switch (statement.kind) {
    case StatementKind::Let:
      return let(statement, arena, error);
    case StatementKind::ForRange:
    case StatementKind::ForList:
      return enter_loop(statement, index, arena, error);
    case StatementKind::Netns:
      return enter_netns(statement, index, arena, error);
    default:
      error = {.span = statement.span, .message = "this statement is not supported yet"};
      return false;
  }
}

bool Expander::enter_loop(const Statement& statement, uint32_t index, Arena& arena, Diagnostic& error) {
  const Word* words = script_.words.data() + statement.first_word;
  Frame frame{.index = index + 1,
              .end = statement.end,
              .ns = frames_.back().ns,
              .scope = scope_.size(),
              .loop = &statement,
              .body = index + 1};
  if (statement.kind == StatementKind::ForList) {
    frame.current = 1;
    frame.last = statement.word_count - 1;
  } else {
    int64_t* const bounds[] = {&frame.current, &frame.last};
    for (size_t i = 0; i < 2; ++i) {
      auto value = evaluator_.value(script_, words[i + 1], arena, error);
      if (!value) return false;
      const auto* number = std::get_if<int64_t>(&*value);
      if (number == nullptr) {
        error = {.span = words[i + 1].span,
                 .message = fmt::format("a range needs numbers, found '{}'", std::get<std::string_view>(*value))};
        return false;
      }
      *bounds[i] = *number;
    }
  }
  if (frame.current > frame.last) return true;  // nothing to do
  if (!declare(words[0].span, error)) return false;
  frames_.push_back(frame);
  scope_.push({sources_.text(words[0].span), int64_t{0}, words[0].span});
  return bind_loop(arena, error);
}

// Gives the loop's variable its value, and forgets what the last round of the body declared.
bool Expander::bind_loop(Arena& arena, Diagnostic& error) {
  const Frame& frame = frames_.back();
  scope_.shrink(frame.scope + 1);
  if (frame.loop->kind == StatementKind::ForRange) {
    scope_.back().value = frame.current;
    return true;
  }
  auto text = evaluator_.text(script_, script_.words[frame.loop->first_word + static_cast<size_t>(frame.current)],
                              arena, error);
  if (text) scope_.back().value = values_.copy(*text);
  return text.has_value();
}

bool Expander::enter_netns(const Statement& statement, uint32_t index, Arena& arena, Diagnostic& error) {
  const Word& word = script_.words[statement.first_word];
  auto name = evaluator_.text(script_, word, arena, error);
  if (!name) return false;
  if (frames_.back().ns != 0) {
    error = {.span = statement.span, .message = "a netns block inside a netns block"};
    error.notes.push_back(
        {fmt::format("it is in namespace '{}'; close that block first", namespaces_.name(frames_.back().ns)), {}});
    return false;
  }
  frames_.push_back(
      {.index = index + 1, .end = statement.end, .ns = namespaces_.intern(*name), .scope = scope_.size()});
  return true;
}

bool Expander::let(const Statement& statement, Arena& arena, Diagnostic& error) {
  const Word* words = script_.words.data() + statement.first_word;
  const std::string_view name = sources_.text(words[0].span);
  if (!declare(words[0].span, error)) return false;
  if (const Definition* definition = define(name)) {
    scope_.push({name, value_of(definition->value), words[0].span});
    return true;
  }
  auto value = evaluator_.value(script_, words[1], arena, error);
  if (!value) return false;
  if (auto* text = std::get_if<std::string_view>(&*value)) *text = values_.copy(*text);
  scope_.push({name, *value, words[0].span});
  return true;
}

// What the command line says instead of a `let` outside all blocks.
const Definition* Expander::define(std::string_view name) {
  const Definition* found = nullptr;
  if (frames_.size() > 1) return found;
  for (size_t i = 0; i < definitions_.size(); ++i) {
    if (definitions_[i].name != name) continue;
    definition_used_[i] = true;
    found = &definitions_[i];
  }
  return found;
}

std::vector<Definition> Expander::unused_definitions() const {
  std::vector<Definition> unused;
  for (size_t i = 0; i < definitions_.size(); ++i)
    if (!definition_used_[i]) unused.push_back(definitions_[i]);
  return unused;
}

bool Expander::declare(Span span, Diagnostic& error) {
  const Variable* other = scope_.find(sources_.text(span));
  if (other == nullptr) return true;
  error = {.span = span, .message = fmt::format("a variable named '{}' is in scope already", other->name)};
  error.notes.push_back({"it was made here", other->span});
  return false;
}

void Expander::leave() {
  scope_.shrink(frames_.back().scope);
  frames_.pop_back();
}

std::vector<grammar::Note> Expander::context() const {
  std::vector<grammar::Note> notes;
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].loop == nullptr) continue;
    const auto name = sources_.text(script_.words[frames_[i].loop->first_word].span);
    const Variable* variable = scope_.find(name);
    const auto position = sources_.locate(frames_[i].loop->span.begin);
    const std::string value = std::holds_alternative<int64_t>(variable->value)
                                  ? std::to_string(std::get<int64_t>(variable->value))
                                  : std::string(std::get<std::string_view>(variable->value));
    notes.push_back({fmt::format("in the loop at {}:{} with {} = {}", position.file, position.line, name, value), {}});
  }
  return notes;
}

}  // namespace netbatch
