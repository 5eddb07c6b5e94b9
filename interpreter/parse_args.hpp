// A cursor over a command's words that reads options by their rows, and says what is wrong with them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grammar/diagnostic.hpp"
#include "interpreter/command.hpp"
#include "interpreter/operation.hpp"
#include "interpreter/value.hpp"

namespace netbatch {

// Whether a word stands for a keyword, as iproute2's strcmp() or matches() has it.
constexpr bool word_matches(std::string_view word, std::string_view keyword, Match match) {
  if (word.empty() || word.size() > keyword.size() || (match == Match::Exact && word.size() != keyword.size()))
    return false;
  for (size_t i = 0; i < word.size(); ++i)  // a few bytes: a call of memcmp costs more
    if (word[i] != keyword[i]) return false;
  return true;
}

// Finds the first entry of a table (anything with `keyword` and `match`) that a word stands for, without looking at
// those that begin with another byte.
template <class Entry>
class KeywordTable {
 public:
  explicit constexpr KeywordTable(std::span<const Entry> entries) : entries_(entries) {
    for (size_t i = entries.size(); i-- > 0;) {
      uint8_t& head = heads_[static_cast<uint8_t>(entries[i].keyword[0]) % kHeads];
      next_[i] = head;
      head = static_cast<uint8_t>(i + 1);
    }
  }
  const Entry* find(std::string_view word) const {
    if (word.empty()) return nullptr;
    for (uint8_t i = heads_[static_cast<uint8_t>(word[0]) % kHeads]; i != 0; i = next_[i - 1]) {
      const Entry& entry = entries_[i - 1];
      if (word_matches(word, entry.keyword, entry.match)) return &entry;
    }
    return nullptr;
  }
  std::span<const Entry> entries() const { return entries_; }

 private:
  static constexpr size_t kHeads = 128;
  static constexpr size_t kEntries = 96;
  std::span<const Entry> entries_;
  std::array<uint8_t, kHeads> heads_{};  // 1 + index of the first entry with that byte; 0: none
  std::array<uint8_t, kEntries> next_{};
};

using RowTable = KeywordTable<Row>;

// The same for a table that is looked into rarely.
const Row* find_row(std::span<const Row> rows, std::string_view word);

// The choice of a row that a word names, whatever its case, or null.
const Choice* find_choice(const Row& row, std::string_view word);

// What a parser works on.
struct ParseContext {
  std::span<const Argument> arguments;
  Span statement;
  NsId ns;
  uint8_t family;  // -4, -6; AF_UNSPEC
  Namespaces& namespaces;
  Operations& operations;
  std::vector<grammar::Diagnostic>& errors;
  // A line inside the block of a link: the link.
  std::string_view device{};
  Span device_span{};
};

class Parser {
 public:
  // `command` is how messages call it ("link set") and lives as long as the parser.
  Parser(const ParseContext& context, std::string_view command, Object object, Verb verb);

  // The next argument, null at the end.
  const Argument* peek() const { return next_ == end_ ? nullptr : next_; }
  const Argument* next_word() const { return next_ != end_ && next_->kind == ArgumentKind::Word ? next_ : nullptr; }
  void advance() { ++next_; }
  // The word after `keyword`, on the same line. `needs` says what it should be, e.g. "a number".
  const Argument* value(const Argument& keyword, std::string_view needs);

  // From the keyword to the last word taken.
  Span since(const Argument& keyword) const { return {keyword.span.begin, next_[-1].span.end}; }

  // Reads the value of an option and stores the option.
  bool option(const Row& row, const Argument& keyword);
  // Stores an option; in place of an earlier one for the same attribute, since the kernel takes the last.
  void put(const Row& row, Span span, Value value);
  // Stores one more.
  void append(const Row& row, Span span, Value value) { sink_->push_back({&row, span, value}); }
  // Bytes that live as long as the operations.
  Value keep(std::string_view bytes) { return Value::of_data(operations().text.copy(bytes)); }
  // The option stored for this attribute in the same place, or null.
  Attr* find(const Row& row);
  bool has(Place place, uint16_t attribute) const;
  std::span<Attr> stored() { return {sink_->data() + first_, sink_->size() - first_}; }
  // Where options are stored from now on: first the operation's own, then perhaps those of its peer.
  struct Store {
    std::vector<Attr>* attrs;
    size_t first;
  };
  Store store() const { return {sink_, first_}; }
  void store_in(Store place) {
    sink_ = place.attrs;
    first_ = place.first;
  }

  // Values that need words of their own.
  bool number(const Argument& keyword, const Argument& word, uint64_t max, uint64_t& result);
  bool on_off(const Argument& keyword, bool& result);
  bool ip(const Argument& keyword, const Argument& word, uint8_t family, IpAddress& address);
  // A new link's name; the name of a link that exists.
  bool new_name(const Argument& word);
  bool link_name(const Argument& word);

  // Errors. All return false.
  [[gnu::cold]] bool fail(Span span, std::string message);
  [[gnu::cold]] bool needs(const Argument& keyword, std::string_view what, const Argument* found);
  [[gnu::cold]] bool twice(const Argument& keyword, Span first);
  [[gnu::cold]] bool unsupported(const Argument& keyword);
  [[gnu::cold]] bool unknown_option(const Argument& word, std::span<const std::string_view> candidates);
  // Adds the note "did you mean …?" to the last error; false if no candidate is near.
  [[gnu::cold]] bool suggest(std::string_view word, std::span<const std::string_view> candidates);
  [[gnu::cold]] void note(std::string text) { errors_.back().notes.push_back({std::move(text), {}}); }

  // Stores the operation.
  bool finish();

  Operation op;
  std::string_view command;

  Operations& operations() { return operations_; }
  Namespaces& namespaces() { return namespaces_; }
  uint8_t family() const { return family_; }
  Span statement() const { return op.span; }

 protected:
  bool read(const Row& row, const Argument& keyword, Value& value);
  bool read_number(const Row& row, const Argument& keyword, const Argument& word, Value& value);
  bool read_choice(const Row& row, const Argument& keyword, const Argument& word, Value& value);
  bool read_text(const Row& row, const Argument& keyword, const Argument& word, Value& value);
  bool read_ip_row(const Row& row, const Argument& keyword, const Argument& word, Value& value);

 private:
  const Argument* next_;
  const Argument* end_;
  Operations& operations_;
  Namespaces& namespaces_;
  std::vector<grammar::Diagnostic>& errors_;
  std::vector<Attr>* sink_;
  size_t first_;
  uint8_t family_;
  const Row* row_ = nullptr;  // the option being read, for messages
};

// The span from the keyword to the end of its value.
inline Span joined(Span keyword, Span value) { return {keyword.begin, value.end}; }

}  // namespace netbatch
