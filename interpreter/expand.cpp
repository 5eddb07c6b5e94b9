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

Expander::Expander(Scripts& scripts, std::span<const Definition> definitions, Namespaces& namespaces,
                   uint64_t most_steps)
    : sources_(scripts.sources()),
      scripts_(scripts),
      definitions_(definitions),
      definition_used_(definitions.size()),
      namespaces_(namespaces),
      evaluator_(sources_, scope_),
      most_steps_(most_steps),
      steps_left_(most_steps) {
  const grammar::Script& main = scripts.main();
  steps_left_ += main.statements.size() + main.words.size() / kWordsOfStep;  // each of them once
  frames_.push_back({.script = &main, .end = static_cast<uint32_t>(main.statements.size())});
}

Expander::Step Expander::next(Arena& arena, Command& command, Diagnostic& error) {
  for (;;) {
    Frame& frame = frames_.back();
    if (frame.index >= frame.end) {
      if (frame.loop != nullptr && frame.current < frame.last) {
        ++frame.current;
        frame.index = frame.body;
        if (!bind_loop(error)) return Step::Error;
        continue;
      }
      if (frames_.size() == 1) return Step::End;
      leave();
      continue;
    }
    const Statement& statement = frame.script->statements[frame.index];
    frame.index = statement.end;
    if (!spend(statement.word_count / kWordsOfStep, statement, error)) return Step::Error;
    if (statement.kind != StatementKind::Command) {
      if (!enter(statement, error)) return Step::Error;
      continue;
    }
    if (!fill(statement, arena, error)) return Step::Error;
    command = {statement.span, arguments_};
    return Step::Command;
  }
}

bool Expander::fill(const Statement& statement, Arena& arena, Diagnostic& error) {
  arguments_.resize(statement.word_count);
  const Word* word = script().words.data() + statement.first_word;
  for (Argument& argument : arguments_) {
    argument = {{}, word->span, kind_of(word->kind), word->quoted};
    if (argument.kind == ArgumentKind::Word) {
      auto text = evaluator_.text(script(), *word, arena, error);
      if (!text) return false;
      argument.text = *text;
    }
    ++word;
  }
  return true;
}

// What runs next if it is the body of `statement`, which is one of the innermost frame's.
Expander::Frame Expander::body_of(const Statement& statement) const {
  const Frame& outside = frames_.back();
  const auto body = static_cast<uint32_t>(&statement - outside.script->statements.data()) + 1;
  return {.script = outside.script,
          .index = body,
          .end = statement.end,
          .ns = outside.ns,
          .transaction = outside.transaction,
          .scope = scope_.size(),
          .values = values_.mark(),
          .body = body};
}

bool Expander::enter(const Statement& statement, Diagnostic& error) {
  switch (statement.kind) {
    case StatementKind::Let:
      return let(statement, error);
    case StatementKind::ForRange:
    case StatementKind::ForList:
      return enter_loop(statement, error);
    case StatementKind::Netns:
      return enter_netns(statement, error);
    case StatementKind::Include:
      return include(statement, error);
    default:
      return enter_transaction(statement, error);
  }
}

bool Expander::enter_loop(const Statement& statement, Diagnostic& error) {
  Frame frame = body_of(statement);
  frame.loop = &statement;
  if (statement.kind == StatementKind::ForList) {
    frame.current = 1;
    frame.last = statement.word_count - 1;
  } else if (!read_range(statement, frame, error)) {
    return poison_loop(statement);
  }
  if (frame.current > frame.last) return true;  // nothing to do
  const Span name = script().words[statement.first_word].span;
  if (!spend(static_cast<uint64_t>(frame.last) - static_cast<uint64_t>(frame.current), statement, error)) return false;
  if (!declare(name, error)) return false;
  frames_.push_back(frame);
  scope_.push({sources_.text(name), int64_t{0}, name});
  return bind_loop(error);
}

// A header that is in error: the body is gone through once for its own errors.
bool Expander::poison_loop(const Statement& statement) {
  const Span name = script().words[statement.first_word].span;
  if (scope_.find(sources_.text(name)) != nullptr) return false;
  frames_.push_back(body_of(statement));
  scope_.push({sources_.text(name), int64_t{0}, name, true});
  return false;
}

bool Expander::read_range(const Statement& statement, Frame& frame, Diagnostic& error) {
  const Word* words = script().words.data() + statement.first_word;
  int64_t* const bounds[] = {&frame.current, &frame.last};
  for (size_t i = 0; i < 2; ++i) {
    auto value = evaluator_.value(script(), words[i + 1], values_, error);
    if (!value) return false;
    const auto* number = std::get_if<int64_t>(&*value);
    if (number == nullptr) {
      error = {.span = words[i + 1].span,
               .message = fmt::format("a range needs numbers, found '{}'", std::get<std::string_view>(*value))};
      return false;
    }
    *bounds[i] = *number;
  }
  return true;
}

// Takes 1 + `further` steps.
bool Expander::spend(uint64_t further, const Statement& statement, Diagnostic& error) {
  if (further < steps_left_) {
    steps_left_ -= further + 1;
    return true;
  }
  // One more loop of the same kind would only say the same, after as long a time.
  for (Frame& each : frames_) {
    each.index = each.end;
    each.current = each.last;
  }
  error = {.span = statement.span, .message = "the loops and includes of this script make too many statements"};
  error.notes.push_back({fmt::format("at most {} rounds and statements are possible in all", most_steps_), {}});
  return false;
}

// Gives the loop's variable its value, and forgets what the last round of the body declared.
bool Expander::bind_loop(Diagnostic& error) {
  const Frame& frame = frames_.back();
  scope_.shrink(frame.scope + 1);
  values_.rewind(frame.values);
  if (frame.loop->kind == StatementKind::ForRange) {
    scope_.back().value = frame.current;
    return true;
  }
  auto text = evaluator_.text(script(), script().words[frame.loop->first_word + static_cast<size_t>(frame.current)],
                              values_, error);
  if (text)
    scope_.back().value = *text;
  else
    frames_.back().index = frame.end;  // the next word's turn
  return text.has_value();
}

bool Expander::enter_netns(const Statement& statement, Diagnostic& error) {
  auto name = evaluator_.text(script(), script().words[statement.first_word], values_, error);
  if (!name) return false;
  if (const NsId outside = frames_.back().ns; outside != 0) {
    error = {.span = statement.span, .message = "a netns block inside a netns block"};
    error.notes.push_back(
        {fmt::format("it is in namespace '{}'; close that block first", namespaces_.name(outside)), {}});
    return false;
  }
  frames_.push_back(body_of(statement));
  frames_.back().ns = namespaces_.intern(*name);
  return true;
}

bool Expander::enter_transaction(const Statement& statement, Diagnostic& error) {
  if (frames_.back().transaction != 0) {
    error = {.span = statement.span, .message = "a transaction inside a transaction"};
    error.notes.push_back({"the outer one holds for what is in it already: leave the inner one out", {}});
    return false;
  }
  frames_.push_back(body_of(statement));
  frames_.back().transaction = ++transactions_;
  return true;
}

// The file's statements stand in place of `include`: what they declare stays in scope.
bool Expander::include(const Statement& statement, Diagnostic& error) {
  const Word& word = script().words[statement.first_word];
  auto path = evaluator_.text(script(), word, values_, error);
  if (!path) return false;
  const grammar::Script* file = scripts_.include(script(), *path, word.span, error);
  if (file == nullptr) {
    scope_.miss_some();
    if (error.span != word.span) error.notes.push_back({included_from(statement), {}});
    return false;
  }
  if (!may_include(*file, word.span, error)) return false;
  Frame frame = body_of(statement);
  frame.script = file;
  frame.include = &statement;
  frame.index = 0;
  frame.end = static_cast<uint32_t>(file->statements.size());
  frames_.push_back(frame);
  return true;
}

bool Expander::may_include(const grammar::Script& file, Span word, Diagnostic& error) const {
  constexpr size_t kMostFiles = 64;
  size_t depth = 1;
  for (const Frame& frame : frames_) {
    if (frame.script == &file) {
      error = {.span = word, .message = fmt::format("'{}' would include itself without end", sources_.name(file.file))};
      return false;
    }
    if (frame.include != nullptr) ++depth;
  }
  if (depth < kMostFiles) return true;
  error = {.span = word, .message = fmt::format("files include each other more than {} deep", kMostFiles)};
  return false;
}

std::string Expander::included_from(const Statement& statement) const {
  const auto position = sources_.locate(statement.span.begin);
  return fmt::format("included from {}:{}", position.file, position.line);
}

bool Expander::let(const Statement& statement, Diagnostic& error) {
  const Word* words = script().words.data() + statement.first_word;
  const std::string_view name = sources_.text(words[0].span);
  if (!declare(words[0].span, error)) return false;
  if (const Definition* definition = define(name)) {
    scope_.push({name, value_of(definition->value), words[0].span});
    return true;
  }
  auto value = evaluator_.value(script(), words[1], values_, error);
  if (!value) {
    const grammar::Part& part = script().parts[words[1].first_part];
    const bool one_name = words[1].part_count == 1 && part.token_count == 1 &&
                          script().tokens[part.first_token].kind == grammar::TokenKind::Name;
    if (one_name && error.notes.empty()) error.notes.push_back({"a text is written in quotes", {}});
    scope_.push({name, int64_t{0}, words[0].span, true});
    return false;
  }
  scope_.push({name, *value, words[0].span});
  return true;
}

// What the command line says instead of a `let` outside all blocks.
const Definition* Expander::define(std::string_view name) {
  const Definition* found = nullptr;
  for (size_t i = 1; i < frames_.size(); ++i)
    if (frames_[i].include == nullptr) return found;
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
  constexpr size_t kMostVariables = 4096;  // they are sought one by one
  if (scope_.size() == kMostVariables) {
    error = {.span = span, .message = fmt::format("there are more than {} variables in scope", kMostVariables)};
    return false;
  }
  const Variable* other = scope_.find(sources_.text(span));
  if (other == nullptr) return true;
  error = {.span = span, .message = fmt::format("a variable named '{}' is in scope already", other->name)};
  error.notes.push_back({"it was made here", other->span});
  return false;
}

void Expander::leave() {
  if (frames_.back().include == nullptr) {
    scope_.shrink(frames_.back().scope);
    values_.rewind(frames_.back().values);
  }
  frames_.pop_back();
}

std::vector<grammar::Note> Expander::context() const {
  std::vector<grammar::Note> notes;
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].include != nullptr) notes.push_back({included_from(*frames_[i].include), {}});
    if (frames_[i].loop == nullptr) continue;
    const auto name = sources_.text(frames_[i].script->words[frames_[i].loop->first_word].span);
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
