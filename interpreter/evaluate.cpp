#include "interpreter/evaluate.hpp"

#include <fmt/format.h>

#include "grammar/suggest.hpp"

namespace netbatch {
namespace {

using grammar::Token;
using grammar::TokenKind;

bool fails(Diagnostic& error, Span span, std::string message) {
  error.span = span;
  error.message = std::move(message);
  error.notes.clear();
  return false;
}

void append_without_line_breaks(std::string& to, std::string_view text) {
  if (text.find('\\') == std::string_view::npos) {
    to += text;
    return;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t skip = text[i] != '\\'                   ? 0
                        : text.substr(i + 1, 1) == "\n"   ? 2
                        : text.substr(i + 1, 2) == "\r\n" ? 3
                                                          : 0;
    if (skip == 0)
      to += text[i];
    else
      i += skip - 1;
  }
}

char sign_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Add:
      return '+';
    case TokenKind::Subtract:
      return '-';
    case TokenKind::Multiply:
      return '*';
    case TokenKind::Divide:
      return '/';
    default:
      return '%';
  }
}

uint64_t absolute(int64_t n) { return n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); }

// False when the result does not fit in 64 bits. The divisor is not 0.
bool calculate(TokenKind kind, int64_t a, int64_t b, int64_t& result) {
  switch (kind) {
    case TokenKind::Add:
      return !__builtin_add_overflow(a, b, &result);
    case TokenKind::Subtract:
      return !__builtin_sub_overflow(a, b, &result);
    case TokenKind::Multiply:
      return !__builtin_mul_overflow(a, b, &result);
    default:
      break;
  }
  if (a == INT64_MIN && b == -1) return false;
  result = kind == TokenKind::Divide ? a / b : a % b;
  return true;
}

// [0][width][d|x|X|o|b], as printf has it.
std::optional<std::string> format_number(int64_t number, std::string_view format) {
  size_t i = 0;
  const bool zeros = i < format.size() && format[i] == '0';
  if (zeros) ++i;
  size_t width = 0;
  for (; i < format.size() && format[i] >= '0' && format[i] <= '9' && width < 100; ++i)
    width = width * 10 + static_cast<size_t>(format[i] - '0');
  const char type = i < format.size() ? format[i++] : 'd';
  if (i != format.size() || width > 64 || std::string_view("dxXob").find(type) == std::string_view::npos) return {};
  const std::string spec = fmt::format("{{:{}{}{}}}", zeros ? "0" : "", width ? std::to_string(width) : "", type);
  return fmt::format(fmt::runtime(spec), number);
}

}  // namespace

const Variable* Scope::find(std::string_view name) const {
  for (size_t i = variables_.size(); i-- > 0;)
    if (variables_[i].name == name) return &variables_[i];
  return nullptr;
}

std::vector<std::string_view> Scope::names() const {
  std::vector<std::string_view> names;
  for (const Variable& variable : variables_) names.push_back(variable.name);
  return names;
}

void Evaluator::change_script(const grammar::Script& script) {
  script_ = &script;
  source_ = sources_.text(script.file).data();
  base_ = sources_.base(script.file);
}

std::optional<Scalar> Evaluator::expression(const grammar::Script& script, const grammar::Part& part,
                                            Diagnostic& error) {
  read_from(script);
  stack_.clear();
  made_.clear();
  for (uint32_t i = part.first_token; i < part.first_token + part.token_count; ++i)
    if (!step(script.tokens[i], error)) return {};
  return stack_.back();
}

const Variable* Evaluator::find(const Token& token, Diagnostic& error) const {
  const std::string_view name = slice(token.span);
  const Variable* variable = scope_.find(name);
  if (variable != nullptr && !variable->poisoned) return variable;
  if (variable != nullptr || scope_.misses_some()) {
    fails(error, token.span, {});
    return nullptr;
  }
  fails(error, token.span, fmt::format("no variable named '{}'", name));
  const auto names = scope_.names();
  if (const auto near = grammar::suggest(name, names); !near.empty())
    error.notes.push_back({fmt::format("did you mean '{}'?", near), {}});
  return nullptr;
}

bool Evaluator::step(const Token& token, Diagnostic& error) {
  switch (token.kind) {
    case TokenKind::Number:
      stack_.emplace_back(token.number);
      return true;
    case TokenKind::Text:
      stack_.emplace_back(slice(token.span));
      return true;
    case TokenKind::Name: {
      const Variable* variable = find(token, error);
      if (variable != nullptr) stack_.push_back(variable->value);
      return variable != nullptr;
    }
    case TokenKind::Call:
      return call(token, error);
    default:
      return operate(token, error);
  }
}

bool Evaluator::operate(const Token& token, Diagnostic& error) {
  const size_t operands = token.kind == TokenKind::Negate ? 1 : 2;
  int64_t values[2] = {0, 0};
  for (size_t i = operands; i-- > 0;) {
    const auto* number = std::get_if<int64_t>(&stack_.back());
    if (number == nullptr)
      return fails(error, token.span,
                   fmt::format("cannot calculate with the text '{}'", std::get<std::string_view>(stack_.back())));
    values[i] = *number;
    stack_.pop_back();
  }
  const bool negates = token.kind == TokenKind::Negate;
  const TokenKind kind = negates ? TokenKind::Subtract : token.kind;
  if (negates) std::swap(values[0], values[1]);
  if ((kind == TokenKind::Divide || kind == TokenKind::Modulo) && values[1] == 0)
    return fails(error, token.span, fmt::format("{} {} 0: division by zero", values[0], sign_of(kind)));
  int64_t result = 0;
  if (!calculate(kind, values[0], values[1], result))
    return fails(error, token.span,
                 fmt::format("{} {} {} does not fit in 64 bits", values[0], sign_of(kind), values[1]));
  stack_.emplace_back(result);
  return true;
}

bool Evaluator::call(const Token& token, Diagnostic& error) {
  const std::string_view name = slice(token.span);
  const bool is_mac = name == "mac";
  if (!is_mac && name != "addr") {
    fails(error, token.span, fmt::format("no function named '{}'", name));
    error.notes.push_back({"there are mac(base, n) and addr(base, n)", {}});
    return false;
  }
  if (token.arguments != 2)
    return fails(error, token.span,
                 fmt::format("'{}' takes a base and a number, found {} argument{}", name, token.arguments,
                             token.arguments == 1 ? "" : "s"));
  const Scalar second = stack_.back();
  stack_.pop_back();
  const Scalar first = stack_.back();
  stack_.pop_back();
  const auto* base = std::get_if<std::string_view>(&first);
  const auto* n = std::get_if<int64_t>(&second);
  if (base == nullptr || n == nullptr)
    return fails(error, token.span, fmt::format("'{}' takes a text and then a number", name));
  auto sum = is_mac ? mac_plus(*base, *n) : address_plus(*base, *n);
  if (!sum) {
    const bool valid = (is_mac ? mac_plus(*base, 0) : address_plus(*base, 0)).has_value();
    if (!valid)
      return fails(error, token.span, fmt::format("'{}' is not {}", *base, is_mac ? "a MAC address" : "an IP address"));
    return fails(error, token.span,
                 fmt::format("{} {} {} is {} {}address", *base, *n < 0 ? '-' : '+', absolute(*n),
                             *n < 0 ? "before the first" : "beyond the last", is_mac ? "MAC " : ""));
  }
  made_.push_back(std::move(*sum));
  stack_.emplace_back(std::string_view(made_.back()));
  return true;
}

bool Evaluator::append(const Scalar& value, std::string_view format, Span span, Diagnostic& error) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    if (!format.empty())
      return fails(error, span, fmt::format("'{}' formats numbers, found the text '{}'", format, *text));
    text_ += *text;
    return true;
  }
  const int64_t number = std::get<int64_t>(value);
  if (format.empty()) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
    return true;
  }
  auto formatted = format_number(number, format);
  if (!formatted) {
    fails(error, span, fmt::format("'{}' is not a format", format));
    error.notes.push_back({"a format is a width and one of d, x, X, o, b, such as 04x", {}});
    return false;
  }
  text_ += *formatted;
  return true;
}

bool Evaluator::append(const grammar::Script& script, const grammar::Part& part, Diagnostic& error) {
  const Token& first = script.tokens[part.first_token];
  if (part.token_count == 1 && first.kind == TokenKind::Name) {
    const Variable* variable = find(first, error);
    return variable != nullptr && append(variable->value, slice(part.format), part.span, error);
  }
  const auto value = expression(script, part, error);
  return value && append(*value, slice(part.format), part.span, error);
}

std::optional<std::string_view> Evaluator::made_text(const grammar::Script& script, const grammar::Word& word,
                                                     Arena& arena, Diagnostic& error) {
  text_.clear();
  if (word.kind != grammar::WordKind::Template) append_without_line_breaks(text_, slice(word.span));
  for (uint32_t i = word.first_part; i < word.first_part + word.part_count && text_.size() <= kMostBytes; ++i) {
    const grammar::Part& part = script.parts[i];
    if (part.token_count == 0) {
      append_without_line_breaks(text_, slice(part.span));
      continue;
    }
    if (!append(script, part, error)) return {};
  }
  if (text_.size() <= kMostBytes) return arena.copy(text_);
  fails(error, word.span, fmt::format("a word has at most {} bytes", kMostBytes));
  return {};
}

std::optional<Scalar> Evaluator::value(const grammar::Script& script, const grammar::Word& word, Arena& arena,
                                       Diagnostic& error) {
  const bool is_expression = word.kind == grammar::WordKind::Template && !word.quoted && word.part_count == 1 &&
                             script.parts[word.first_part].token_count > 0 &&
                             script.parts[word.first_part].format == Span{};
  if (!is_expression) {
    auto result = text(script, word, arena, error);
    return result ? std::optional<Scalar>(*result) : std::nullopt;
  }
  auto result = expression(script, script.parts[word.first_part], error);
  if (result && std::holds_alternative<std::string_view>(*result))
    return Scalar(arena.copy(std::get<std::string_view>(*result)));
  return result;
}

}  // namespace netbatch
