// Values of the language and its expressions: 64-bit integers and text.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "grammar/ast.hpp"
#include "grammar/diagnostic.hpp"
#include "interpreter/arena.hpp"

namespace netbatch {

using grammar::Diagnostic;
using grammar::Span;

// Text lives as long as the Sources or the arena of the expansion.
using Scalar = std::variant<int64_t, std::string_view>;

struct Variable {
  std::string_view name;
  Scalar value;
  Span span;              // where it was made
  bool poisoned = false;  // its expression was in error: what uses it has no value, and nothing is said of that
};

// The variables in scope, innermost last.
class Scope {
 public:
  const Variable* find(std::string_view name) const;
  void push(Variable variable) { variables_.push_back(variable); }
  size_t size() const { return variables_.size(); }
  void shrink(size_t size) { variables_.resize(size); }
  Variable& back() { return variables_.back(); }
  std::vector<std::string_view> names() const;
  // A file that could not be included would have declared more.
  void miss_some() { misses_some_ = true; }
  bool misses_some() const { return misses_some_; }

 private:
  std::vector<Variable> variables_;
  bool misses_some_ = false;
};

class Evaluator {
 public:
  Evaluator(const grammar::Sources& sources, const Scope& scope) : sources_(sources), scope_(scope) {}

  // The value of the expression of `part`. On an error returns nothing and fills `error`; its message
  // is empty when nothing is to be said, as another error is the cause.
  std::optional<Scalar> expression(const grammar::Script& script, const grammar::Part& part, Diagnostic& error);
  // The text of a word of any kind. `arena` keeps what is not in the source as it stands.
  std::optional<std::string_view> text(const grammar::Script& script, const grammar::Word& word, Arena& arena,
                                       Diagnostic& error) {
    read_from(script);
    const bool as_it_stands = word.kind == grammar::WordKind::Plain && word.span.end - word.span.begin <= kMostBytes;
    return as_it_stands ? slice(word.span) : made_text(script, word, arena, error);
  }
  // A word as a value: an integer where it is one expression that gives one.
  std::optional<Scalar> value(const grammar::Script& script, const grammar::Word& word, Arena& arena,
                              Diagnostic& error);

 private:
  // Bounds what variables that stand for each other can grow to, and what a message repeats.
  static constexpr uint32_t kMostBytes = 4096;

  std::optional<std::string_view> made_text(const grammar::Script& script, const grammar::Word& word, Arena& arena,
                                            Diagnostic& error);
  const Variable* find(const grammar::Token& token, Diagnostic& error) const;
  bool step(const grammar::Token& token, Diagnostic& error);
  bool operate(const grammar::Token& token, Diagnostic& error);
  bool call(const grammar::Token& token, Diagnostic& error);
  bool append(const grammar::Script& script, const grammar::Part& part, Diagnostic& error);
  bool append(const Scalar& value, std::string_view format, Span span, Diagnostic& error);
  void read_from(const grammar::Script& script) {
    if (script_ != &script) change_script(script);
  }
  void change_script(const grammar::Script& script);
  // What sources_.text() gives, without a search for the file.
  std::string_view slice(Span span) const {
    return span.begin == span.end ? std::string_view{}
                                  : std::string_view{source_ + (span.begin - base_), span.end - span.begin};
  }

  const grammar::Sources& sources_;
  const Scope& scope_;
  const grammar::Script* script_ = nullptr;  // the last one read from
  const char* source_ = nullptr;             // its text
  uint32_t base_ = 0;                        // the offset of that in the Sources
  std::vector<Scalar> stack_;
  std::deque<std::string> made_;  // texts that functions gave during this expression
  std::string text_;
};

// mac("02:00:00:00:00:00", 5) and addr("10.0.0.0", 5): base + n, in the range of the type. Empty when `base` is not an
// address or the sum is out of range.
std::optional<std::string> mac_plus(std::string_view base, int64_t n);
std::optional<std::string> address_plus(std::string_view base, int64_t n);

}  // namespace netbatch
