// Puts the AST together, piece by piece, as the grammar's actions report what has been read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.hpp"
#include "grammar/messages.hpp"

namespace netbatch::grammar {

// Thrown at the first error; parse() makes a Diagnostic of it.
struct Failure {
  const Message& message;
  std::string_view place;  // in the script's text; if it is empty, the message's Mark says how far it reaches
};

class Builder {
 public:
  Builder(Sources& sources, Sources::File file, Script& script);

  template <typename Tag>
  [[noreturn]] void fail(std::string_view place) const {
    throw Failure{message<Tag>, place};
  }

  // Words. A word's pieces come before the word itself.
  void plain_word(std::string_view text) { push_word({.span = span(text)}); }
  void literal(std::string_view text);
  void escaped_dollar(std::string_view text);
  void interpolation(std::string_view text);
  void format(std::string_view text) { format_ = span(text); }
  void composed_word();
  void quoted_word(std::string_view text);      // with its quotes
  void expression_word(std::string_view text);  // a word that is one expression

  // Expressions. Operators, `(` and the names of functions wait in `operations_` for their operands.
  void operand(TokenKind kind, std::string_view text) { emit({kind, 0, span(text), 0}); }
  void decimal(std::string_view text) { number(text, text, 10); }
  void hexadecimal(std::string_view text) { number(text, text.substr(2), 16); }  // 0x…
  void begin_operation(std::string_view text);
  void begin_call(std::string_view text) { begin_operation(text.substr(0, text.size() - 1)); }  // with its `(`
  void end_negation() { end_operation(TokenKind::Negate); }
  void end_binary();
  void end_argument(std::string_view text);
  void end_call() { end_operation(TokenKind::Call); }
  void end_group() { operations_.pop_back(); }

  // Statements. Their words come before them, their bodies after.
  void keyword(std::string_view text) { keyword_ = span(text); }
  void netns_keyword(std::string_view text);
  void statement(StatementKind kind);  // that began with the last keyword
  void command();
  void netns_head(std::string_view brace);
  void transaction(std::string_view text);
  void open_body(std::string_view brace);
  void close_body();
  void open_attributes(std::string_view brace);
  void close_attributes(std::string_view brace);
  void attribute_line(std::string_view text);

  // `#line`
  void line_number(std::string_view text) { line_ = text; }
  void line_file(std::string_view text) { file_name_ = text; }
  void line_directive();

 private:
  struct Operation {
    Span span;
    uint32_t arguments = 0;
  };

  uint32_t offset(const char* at) const { return base_ + static_cast<uint32_t>(at - text_.data()); }
  Span span(std::string_view text) const { return {offset(text.data()), offset(text.data() + text.size())}; }
  std::string_view text(Span span) const { return text_.substr(span.begin - base_, span.end - span.begin); }
  void push_word(const Word& word);
  void push_part(std::string_view text, const Part& part);
  void finish_parts(Word word);
  void push_statement(StatementKind kind, Span place);
  Span up_to_last_word(uint32_t begin) const;
  void push_block(std::string_view brace, uint32_t statement);
  void number(std::string_view text, std::string_view digits, int base);
  void emit(const Token& token) { script_.tokens.push_back(token); }
  void end_operation(TokenKind kind);
  bool after_word() const;

  Sources& sources_;
  Script& script_;
  const std::string_view text_;
  const uint32_t base_;

  uint32_t first_word_ = 0;   // of the statement that is being read
  uint32_t first_part_ = 0;   // of the word
  uint32_t first_token_ = 0;  // of the part
  bool interpolated_ = false;
  Span format_;
  Span keyword_;
  Span pending_line_;  // the end of a line in an attribute block, empty if none waits for a next word
  std::vector<Operation> operations_;
  std::vector<uint32_t> blocks_;  // index of the statement whose body it is; of an attribute block: unused
  std::string_view line_;
  std::string file_name_;
};

// Here, to be inlined: the parser calls it for nearly every word.
inline void Builder::push_word(const Word& word) {
  if (pending_line_.end != 0) {
    script_.words.push_back({.span = pending_line_, .kind = WordKind::Line});
    pending_line_ = {};
  }
  script_.words.push_back(word);
}

}  // namespace netbatch::grammar
