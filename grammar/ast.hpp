// What a script says, before anything in it has a meaning: statements made of words, flat in a few arrays, so that a
// million lines parse without a heap allocation each. Nothing here knows of networks.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/source.hpp"

namespace netbatch::grammar {

enum class WordKind : uint8_t {
  Plain,     // its text is exactly the source between span.begin and span.end
  Spliced,   // the same, but with `\`+newline pairs in it, which are to be left out
  Template,  // has parts: literal text and interpolated expressions
  Open,      // `{` that opens an attribute block inside a command
  Close,     // its `}`
  Line,      // end of a line (newline or `;`) inside an attribute block; never doubled, never next to Open or Close
};

struct Word {
  Span span;  // without the quotes of a quoted word
  WordKind kind = WordKind::Plain;
  bool quoted = false;
  uint16_t part_count = 0;  // Template only
  uint32_t first_part = 0;
};

// A piece of a Template word: literal source text (with `\`+newline left out and `$$` already split so that one `$`
// remains), or an expression.
struct Part {
  Span span;                 // Literal: the text; expression: all of `$name` or `${…}`
  uint32_t first_token = 0;  // expression, in postfix order: tokens[first_token, first_token + token_count)
  uint16_t token_count = 0;  // 0: literal
  Span format;               // the text after ':' in ${e:04x}; empty if none
};

enum class TokenKind : uint8_t { Number, Text, Name, Negate, Add, Subtract, Multiply, Divide, Modulo, Call };

// One step of an expression in postfix order: operands push, operators pop their operands and push the result.
struct Token {
  TokenKind kind = TokenKind::Number;
  uint8_t arguments = 0;  // Call: how many
  Span span;              // of the operand, the operator sign, or the function's name. Text: without quotes
  int64_t number = 0;     // Number only
};

enum class StatementKind : uint8_t {
  Command,      // words as written, attribute blocks flattened with Open, Line and Close
  Let,          // words: name, value (Plain/Template; an expression is a Template word with one expression part)
  ForRange,     // words: variable, first, last (as Let's value); the body follows
  ForList,      // words: variable, then the list; the body follows
  Netns,        // words: the namespace; the body follows
  Include,      // words: the path
  Transaction,  // no words; the body follows
};

struct Statement {
  StatementKind kind = StatementKind::Command;
  Span span;  // from its first byte to its last; of a statement with a body: of its head, up to the `{`
  uint32_t first_word = 0;
  uint32_t word_count = 0;
  uint32_t end = 0;  // index one past the last statement of its body; without a body: its own index + 1
};

// Statements in source order, a body right after its head.
struct Script {
  Sources::File file = 0;
  std::vector<Statement> statements;
  std::vector<Word> words;
  std::vector<Part> parts;
  std::vector<Token> tokens;
};

}  // namespace netbatch::grammar
