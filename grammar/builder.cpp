#include "grammar/builder.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace netbatch::grammar {
namespace {

constexpr size_t kMaxDepth = 64;  // of blocks, and of an expression: bounds the parser's stack
constexpr size_t kMaxCount = std::numeric_limits<uint16_t>::max();
constexpr uint32_t kMaxArguments = std::numeric_limits<uint8_t>::max();
constexpr uint32_t kMaxLine = std::numeric_limits<int32_t>::max();
constexpr uint32_t kNoStatement = std::numeric_limits<uint32_t>::max();

TokenKind binary_kind(char sign) {
  switch (sign) {
    case '+':
      return TokenKind::Add;
    case '-':
      return TokenKind::Subtract;
    case '*':
      return TokenKind::Multiply;
    case '/':
      return TokenKind::Divide;
    default:
      return TokenKind::Modulo;
  }
}

// For text that consists of digits only: false if the value does not fit.
template <typename Integer>
bool convert(std::string_view digits, int base, Integer* value) {
  return std::from_chars(digits.data(), digits.data() + digits.size(), *value, base).ec == std::errc();
}

}  // namespace

Builder::Builder(Sources& sources, Sources::File file, Script& script)
    : sources_(sources),
      script_(script),
      text_(sources.text(file)),
      base_(sources.base(file)),
      file_name_(sources.name(file)) {}

// Words --------------------------------------------------------------------------------------------------------------

void Builder::push_part(std::string_view place, const Part& part) {
  if (script_.parts.size() - first_part_ == kMaxCount) fail<rules::too_many_parts>(place);
  script_.parts.push_back(part);
}

void Builder::literal(std::string_view text) {
  const Span added = span(text);
  if (script_.parts.size() > first_part_) {
    Part& last = script_.parts.back();
    if (last.token_count == 0 && last.span.end == added.begin) {
      last.span.end = added.end;
      return;
    }
  }
  push_part(text, {added, 0, 0, {}});
}

void Builder::escaped_dollar(std::string_view text) {
  interpolated_ = true;
  literal(text.substr(0, 1));
}

void Builder::interpolation(std::string_view text) {
  const size_t tokens = script_.tokens.size() - first_token_;
  if (tokens > kMaxCount) fail<rules::expression_too_long>(text);
  interpolated_ = true;
  push_part(text, {span(text), first_token_, static_cast<uint16_t>(tokens), format_});
  first_token_ = static_cast<uint32_t>(script_.tokens.size());
  format_ = {};
}

// Words without `$` need no parts: their text is in the source, but for splices.
void Builder::finish_parts(Word word) {
  if (interpolated_) {
    word.kind = WordKind::Template;
    word.first_part = first_part_;
    word.part_count = static_cast<uint16_t>(script_.parts.size() - first_part_);
  } else {
    script_.parts.resize(first_part_);
  }
  push_word(word);
  interpolated_ = false;
  first_part_ = static_cast<uint32_t>(script_.parts.size());
}

void Builder::composed_word() {
  const Span whole{script_.parts[first_part_].span.begin, script_.parts.back().span.end};
  const bool one_piece = script_.parts.size() - first_part_ == 1;
  finish_parts({.span = whole, .kind = one_piece ? WordKind::Plain : WordKind::Spliced});
}

void Builder::quoted_word(std::string_view text) {
  const Span inside = span(text.substr(1, text.size() - 2));
  const size_t pieces = script_.parts.size() - first_part_;
  const bool one_piece = pieces == 0 ? inside.begin == inside.end : script_.parts[first_part_].span == inside;
  finish_parts({.span = inside, .kind = one_piece ? WordKind::Plain : WordKind::Spliced, .quoted = true});
}

void Builder::expression_word(std::string_view text) {
  interpolation(text);
  finish_parts({.span = span(text)});
}

// Expressions --------------------------------------------------------------------------------------------------------

void Builder::number(std::string_view text, std::string_view digits, int base) {
  int64_t value = 0;
  if (!convert(digits, base, &value)) fail<rules::number_too_large>(text);
  emit({TokenKind::Number, 0, span(text), value});
}

void Builder::begin_operation(std::string_view text) {
  if (operations_.size() == kMaxDepth) fail<rules::expression_too_deep>(text);
  operations_.push_back({span(text)});
}

void Builder::end_operation(TokenKind kind) {
  const Operation& operation = operations_.back();
  emit({kind, static_cast<uint8_t>(operation.arguments), operation.span, 0});
  operations_.pop_back();
}

void Builder::end_binary() { end_operation(binary_kind(text_[operations_.back().span.begin - base_])); }

void Builder::end_argument(std::string_view text) {
  if (++operations_.back().arguments > kMaxArguments) fail<rules::too_many_arguments>(text);
}

// Statements ---------------------------------------------------------------------------------------------------------

void Builder::push_statement(StatementKind kind, Span place) {
  const auto words = static_cast<uint32_t>(script_.words.size());
  const auto end = static_cast<uint32_t>(script_.statements.size() + 1);
  script_.statements.push_back({kind, place, first_word_, words - first_word_, end});
  first_word_ = words;
}

Span Builder::up_to_last_word(uint32_t begin) const {
  const Word& last = script_.words.back();
  return {begin, last.span.end + (last.quoted ? 1 : 0)};
}

void Builder::statement(StatementKind kind) { push_statement(kind, up_to_last_word(keyword_.begin)); }

void Builder::command() {
  const Word& first = script_.words[first_word_];
  push_statement(StatementKind::Command, up_to_last_word(first.span.begin - (first.quoted ? 1 : 0)));
}

void Builder::transaction(std::string_view text) { push_statement(StatementKind::Transaction, span(text)); }

// Whether it is only the first word of a command shows at the `{`.
void Builder::netns_keyword(std::string_view text) {
  keyword(text);
  plain_word(text);
}

void Builder::netns_head(std::string_view brace) {
  if (script_.words.size() - first_word_ == 1) fail<rules::netns_name_expected>(brace);
  script_.words.erase(script_.words.begin() + first_word_);
  statement(StatementKind::Netns);
}

void Builder::push_block(std::string_view brace, uint32_t statement) {
  if (blocks_.size() == kMaxDepth) fail<rules::blocks_too_deep>(brace);
  blocks_.push_back(statement);
}

void Builder::open_body(std::string_view brace) {
  push_block(brace, static_cast<uint32_t>(script_.statements.size() - 1));
}

void Builder::close_body() {
  script_.statements[blocks_.back()].end = static_cast<uint32_t>(script_.statements.size());
  blocks_.pop_back();
}

bool Builder::after_word() const {
  if (script_.words.size() == first_word_ || pending_line_.end != 0) return false;
  return script_.words.back().kind <= WordKind::Template;
}

void Builder::open_attributes(std::string_view brace) {
  if (!after_word()) fail<rules::block_misplaced>(brace);
  push_block(brace, kNoStatement);
  push_word({.span = span(brace), .kind = WordKind::Open});
}

void Builder::close_attributes(std::string_view brace) {
  pending_line_ = {};
  push_word({.span = span(brace), .kind = WordKind::Close});
  blocks_.pop_back();
}

void Builder::attribute_line(std::string_view text) {
  if (after_word()) pending_line_ = span(text.substr(0, 1));
}

// #line --------------------------------------------------------------------------------------------------------------

void Builder::line_directive() {
  uint32_t line = 0;
  if (!convert(line_, 10, &line) || line == 0 || line > kMaxLine) fail<rules::line_out_of_range>(line_);
  sources_.map_line(offset(line_.data()), line, file_name_);
}

}  // namespace netbatch::grammar
