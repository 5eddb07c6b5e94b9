#include "interpreter/parse_args.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <strings.h>

#include "grammar/suggest.hpp"
#include "interpreter/names.hpp"

namespace netbatch {
namespace {

constexpr size_t kMaxName = 15;      // IFNAMSIZ - 1
constexpr size_t kMaxAltName = 127;  // ALTIFNAMSIZ - 1

struct NumberType {
  uint8_t size;
  int64_t min;
  uint64_t max;
};

NumberType number_type(ValueType type) {
  switch (type) {
    case ValueType::U8:
      return {1, 0, 0xff};
    case ValueType::U16:
    case ValueType::Be16:
      return {2, 0, 0xffff};
    case ValueType::S32:
      return {4, INT32_MIN, INT32_MAX};
    case ValueType::U64:
      return {8, 0, UINT64_MAX};
    default:
      return {4, 0, 0xffffffff};
  }
}

// Bytes that link_name() and new_name() have to look at more closely.
constexpr uint8_t kNotInNames = 1;
constexpr uint8_t kNotInNewNames = 2;
constexpr std::array<uint8_t, 256> kNameBytes = [] {
  std::array<uint8_t, 256> bytes{};
  for (int byte = 0; byte <= ' '; ++byte) bytes[byte] = kNotInNames;
  for (const int byte : {0x2f, 0x40, 0x7f})  // / @ DEL
    bytes[byte] = kNotInNames;
  for (const int byte : {0x3a, 0x25, 0xa0})  // : %
    bytes[byte] = kNotInNewNames;
  return bytes;
}();

uint8_t name_bytes(std::string_view name) {
  uint8_t seen = 0;
  for (const char c : name) seen |= kNameBytes[static_cast<uint8_t>(c)];
  return seen;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string list_of(std::span<const Choice> choices) {
  std::string list = choices.size() > 1 ? "one of " : "";
  for (const Choice& choice : choices) {
    list += fmt::format("{}'{}'", &choice == choices.data() ? "" : ", ", choice.name);
  }
  return list;
}

std::string_view needs_of(ValueType type) {
  switch (type) {
    case ValueType::OnOff:
    case ValueType::Flag:
      return "'on' or 'off'";
    case ValueType::Text:
    case ValueType::TextNul:
      return "a text";
    case ValueType::Mac:
      return "a link-layer address";
    case ValueType::Ip:
      return "an IP address";
    case ValueType::Link:
      return "a link's name";
    case ValueType::Netns:
      return "a namespace's name or a PID";
    case ValueType::Choice:
      return "one of its names";
    default:
      return "a number";
  }
}

}  // namespace

const Row* find_row(std::span<const Row> rows, std::string_view word) {
  for (const Row& row : rows) {
    if (word_matches(word, row.keyword, row.match)) return &row;
  }
  return nullptr;
}

const Choice* find_choice(const Row& row, std::string_view word) {
  for (const Choice& choice : row.choices) {
    if (equal_ignoring_case(word, choice.name)) return &choice;
  }
  return nullptr;
}

Parser::Parser(const ParseContext& context, std::string_view command_name, Object object, Verb verb)
    : command(command_name),
      next_(context.arguments.data()),
      end_(context.arguments.data() + context.arguments.size()),
      operations_(context.operations),
      namespaces_(context.namespaces),
      errors_(context.errors),
      sink_(&context.operations.attrs),
      first_(context.operations.attrs.size()),
      family_(context.family) {
  op.object = object;
  op.verb = verb;
  op.ns = context.ns;
  op.span = context.statement;
  op.header.family = context.family;
  op.attrs.first = static_cast<uint32_t>(first_);
}

const Argument* Parser::value(const Argument& keyword, std::string_view what) {
  const Argument* word = next_word();
  if (word == nullptr) {
    needs(keyword, what, peek());
    return nullptr;
  }
  advance();
  return word;
}

Attr* Parser::find(const Row& row) {
  for (Attr& attr : stored()) {
    const bool same = attr.row->place == row.place && attr.row->attribute == row.attribute;
    if (same && (row.place != Place::Header || attr.row->fixed == row.fixed)) return &attr;
  }
  return nullptr;
}

bool Parser::has(Place place, uint16_t attribute) const {
  for (size_t i = first_; i < sink_->size(); ++i) {
    const Row& row = *(*sink_)[i].row;
    if (row.place == place && (row.attribute == attribute || (row.attribute6 == attribute && attribute != 0)))
      return true;
  }
  return false;
}

void Parser::put(const Row& row, Span span, Value value) {
  if (Attr* old = find(row)) {
    *old = {&row, span, value};
  } else {
    append(row, span, value);
  }
}

bool Parser::option(const Row& row, const Argument& keyword) {
  row_ = &row;
  if (row.once) {
    if (const Attr* first = find(row)) return twice(keyword, first->span);
  }
  if (row.type == ValueType::Custom) return row.parse(*this, row, keyword);
  Value value;
  if (!read(row, keyword, value)) return false;
  put(row, since(keyword), value);
  return true;
}

bool Parser::read(const Row& row, const Argument& keyword, Value& value) {
  if (row.type == ValueType::None || row.type == ValueType::FlagSet || row.type == ValueType::FlagClear) {
    const bool flag = row.type != ValueType::None;
    value = Value::of_number(flag ? row.type == ValueType::FlagSet : row.fixed, row.width);
    return true;
  }
  const Argument* word = row.type == ValueType::Choice ? this->value(keyword, list_of(row.choices))
                                                       : this->value(keyword, needs_of(row.type));
  if (word == nullptr) return false;
  switch (row.type) {
    case ValueType::OnOff:
    case ValueType::Flag:
      if (word->text != "on" && word->text != "off") return needs(keyword, needs_of(row.type), word);
      value = Value::of_number((word->text == "on") != row.inverted, 1);
      return true;
    case ValueType::Choice:
      return read_choice(row, keyword, *word, value);
    case ValueType::Text:
    case ValueType::TextNul:
      return read_text(row, keyword, *word, value);
    case ValueType::Mac: {
      std::array<uint8_t, 32> bytes;
      const size_t size = read_mac(word->text, bytes);
      if (size == 0) return needs(keyword, needs_of(row.type), word);
      value = keep({reinterpret_cast<const char*>(bytes.data()), size});
      return true;
    }
    case ValueType::Ip:
      return read_ip_row(row, keyword, *word, value);
    case ValueType::Link:
      value = Value::of_data(word->text);
      return link_name(*word);
    case ValueType::Netns:
      if (word->text.empty()) return needs(keyword, needs_of(row.type), word);
      value = Value::of_number(namespaces_.intern_or_pid(word->text), 4);
      return true;
    default:
      return read_number(row, keyword, *word, value);
  }
}

bool Parser::read_number(const Row& row, const Argument& keyword, const Argument& word, Value& value) {
  const NumberType type = number_type(row.type);
  const int64_t min = row.min != 0 ? row.min : type.min;
  const uint64_t max = row.max != 0 ? static_cast<uint64_t>(row.max) : type.max;
  uint64_t number = 0;
  NumberError error = NumberError::None;
  bool inside = false;
  if (type.min < 0 || word.text.starts_with('-')) {
    int64_t with_sign = 0;
    error = read_signed(word.text, with_sign);
    inside = with_sign >= min && with_sign <= static_cast<int64_t>(max);
    number = static_cast<uint64_t>(with_sign);
  } else {
    error = read_unsigned(word.text, number);
    inside = (min <= 0 || number >= static_cast<uint64_t>(min)) && number <= max;
  }
  if (error == NumberError::NotANumber) return needs(keyword, "a number", &word);
  if (error == NumberError::TooLarge || !inside) {
    return fail(word.span, fmt::format("'{}' takes {} to {}, found '{}'", row.keyword, min, max, word.text));
  }
  if (row.type == ValueType::Be16) number = htons(static_cast<uint16_t>(number));
  if (row.type == ValueType::Be32) number = htonl(static_cast<uint32_t>(number));
  value = Value::of_number(number, type.size);
  return true;
}

bool Parser::read_choice(const Row& row, const Argument& keyword, const Argument& word, Value& value) {
  if (const Choice* choice = find_choice(row, word.text)) {
    value = Value::of_number(choice->value, row.width);
    return true;
  }
  uint64_t number = 0;
  if (row.numbers && read_unsigned(word.text, number) == NumberError::None &&
      number <= static_cast<uint64_t>(row.max)) {
    value = Value::of_number(number, row.width);
    return true;
  }
  return needs(keyword, list_of(row.choices) + (row.numbers ? " or a number" : ""), &word);
}

bool Parser::read_text(const Row& row, const Argument& keyword, const Argument& word, Value& value) {
  if (row.max != 0 && word.text.size() > static_cast<size_t>(row.max)) {
    return fail(word.span,
                fmt::format("'{}' takes at most {} bytes, found {}", row.keyword, row.max, word.text.size()));
  }
  if (word.text.find('\0') != std::string_view::npos) return needs(keyword, "a text without a NUL byte", &word);
  value = Value::of_data(word.text);
  return true;
}

bool Parser::read_ip_row(const Row& row, const Argument& keyword, const Argument& word, Value& value) {
  // An address in a kind's data says nothing of the family of the message.
  const bool of_message = row.place == Place::Top;
  uint8_t wanted = of_message ? op.header.family : uint8_t{AF_UNSPEC};
  if (row.attribute6 == 0) wanted = AF_INET;
  IpAddress address;
  if (!ip(keyword, word, wanted, address)) return false;
  if (of_message && op.header.family == AF_UNSPEC) op.header.family = address.family;
  value = keep(address.view());
  value.family = address.family;
  return true;
}

bool Parser::number(const Argument& keyword, const Argument& word, uint64_t max, uint64_t& result) {
  const NumberError error = read_unsigned(word.text, result);
  if (error == NumberError::NotANumber) return needs(keyword, "a number", &word);
  if (error == NumberError::None && result <= max) return true;
  return fail(word.span, fmt::format("'{}' takes 0 to {}, found '{}'", keyword.text, max, word.text));
}

bool Parser::on_off(const Argument& keyword, bool& result) {
  const Argument* word = value(keyword, "'on' or 'off'");
  if (word == nullptr) return false;
  result = word->text == "on";
  return result || word->text == "off" || needs(keyword, "'on' or 'off'", word);
}

bool Parser::ip(const Argument& keyword, const Argument& word, uint8_t family, IpAddress& address) {
  if (read_ip(word.text, family, address)) return true;
  const std::string_view what = family == AF_INET    ? "an IPv4 address"
                                : family == AF_INET6 ? "an IPv6 address"
                                                     : "an IP address";
  return needs(keyword, what, &word);
}

bool Parser::finish() {
  op.attrs.count = static_cast<uint32_t>(operations_.attrs.size()) - op.attrs.first;
  operations_.list.push_back(op);
  return true;
}

bool Parser::fail(Span span, std::string message) {
  errors_.push_back({grammar::Diagnostic::Severity::Error, span, std::move(message), {}});
  return false;
}

bool Parser::needs(const Argument& keyword, std::string_view what, const Argument* found) {
  const bool abbreviated = row_ != nullptr && row_->keyword != keyword.text && row_->keyword.starts_with(keyword.text);
  const std::string_view name = abbreviated ? row_->keyword : keyword.text;
  if (found == nullptr) {
    fail(keyword.span, fmt::format("'{}' needs {}, but the statement ends", name, what));
  } else if (found->kind == ArgumentKind::Word) {
    fail(found->span, fmt::format("'{}' needs {}, found '{}'", name, what, found->text));
  } else {
    fail(keyword.span, found->kind == ArgumentKind::Line ? fmt::format("'{}' needs {} on the same line", name, what)
                                                         : fmt::format("'{}' needs {}, found '{}'", name, what,
                                                                       found->kind == ArgumentKind::Open ? "{" : "}"));
  }
  if (abbreviated) {
    note(op.object == Object::Link
             ? fmt::format("'{0}' is short for '{1}' here, as it is for ip; a link of that name is written 'dev {0}'",
                           keyword.text, name)
             : fmt::format("'{}' is short for '{}' here, as it is for ip", keyword.text, name));
  }
  return false;
}

bool Parser::twice(const Argument& keyword, Span first) {
  const bool abbreviated = row_ != nullptr && row_->keyword.starts_with(keyword.text);
  fail(keyword.span, fmt::format("'{}' is given twice", abbreviated ? row_->keyword : keyword.text));
  errors_.back().notes.push_back({"the first one is here", first});
  return false;
}

bool Parser::unsupported(const Argument& keyword) {
  return fail(keyword.span, fmt::format("'{}' of '{}' is not supported yet", keyword.text, command));
}

bool Parser::unknown_option(const Argument& word, std::span<const std::string_view> candidates) {
  fail(word.span, fmt::format("unknown option '{}' of '{}'", word.text, command));
  suggest(word.text, candidates);
  return false;
}

bool Parser::suggest(std::string_view word, std::span<const std::string_view> candidates) {
  // Two letters are near to almost anything.
  const std::string_view near = word.size() > 2 ? grammar::suggest(word, candidates) : std::string_view{};
  if (near.empty()) return false;
  note(fmt::format("did you mean '{}'?", near));
  return true;
}

bool Parser::link_name(const Argument& word) {
  const std::string_view name = word.text;
  if (!name.empty() && name.size() <= kMaxAltName && (name_bytes(name) & kNotInNames) == 0) return true;
  if (name.empty()) return fail(word.span, "a link's name is not empty");
  if (name.size() > kMaxAltName) {
    return fail(word.span, fmt::format("link name '{}' is {} bytes long; the kernel takes at most {}", name,
                                       name.size(), kMaxAltName));
  }
  for (const char c : name) {
    const auto byte = static_cast<uint8_t>(c);
    if ((kNameBytes[byte] & kNotInNames) == 0) continue;
    if (byte == '@') {
      fail(word.span, fmt::format("link name '{}' has an '@' in it", name));
      note(fmt::format("'{}' is how ip shows a link and the link below it; its name is '{}'", name,
                       name.substr(0, name.find('@'))));
      return false;
    }
    return fail(word.span, byte == '/' ? fmt::format("link name '{}' has a '/' in it", name)
                                       : fmt::format("link name '{}' has a blank or control character in it", name));
  }
  return true;
}

bool Parser::new_name(const Argument& word) {
  const std::string_view name = word.text;
  const bool likely = !name.empty() && name.size() <= kMaxName && name_bytes(name) == 0;
  if (!likely && !link_name(word)) return false;
  if (name.size() > kMaxName) {
    return fail(word.span, fmt::format("link name '{}' is {} bytes long; the kernel takes at most {}", name,
                                       name.size(), kMaxName));
  }
  if (name == "." || name == "..") return fail(word.span, fmt::format("'{}' is not a link name", name));
  if (name == "default" || name == "all") {
    fail(word.span, fmt::format("'{}' is not a link name", name));
    note("/proc/sys/net/ipv4/conf has a directory of that name for all links");
    return false;
  }
  if (likely) return true;
  for (const char c : name) {
    if (c == ':') return fail(word.span, fmt::format("link name '{}' has a ':' in it", name));
    // The kernel's isspace() counts the no-break space of Latin-1, also where it is a part of a UTF-8 letter.
    if (c == '\xa0')
      return fail(word.span, fmt::format("link name '{}' has the byte 0xA0 in it, a blank to the kernel", name));
    if (c != '%') continue;
    fail(word.span, fmt::format("link name '{}' has a '%' in it, which makes the kernel choose a number", name));
    note("give the name in full, for example with a loop: for i in 0..9 { … v$i … }");
    return false;
  }
  return true;
}

}  // namespace netbatch
