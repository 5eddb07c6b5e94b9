#include "grammar/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace netbatch::grammar {
namespace {

constexpr size_t kWidth = 100;     // columns of source text that are shown at most
constexpr size_t kBefore = 60;     // of these, how many before the caret when the line is clipped on its left
constexpr size_t kLongest = 1000;  // bytes of a message, which can have a word of the script in it
constexpr std::string_view kCut = "...";

// One column of output: a code point, or a byte that is not part of one.
struct Cell {
  size_t length = 1;
  bool printable = false;
};

bool steers_terminal(uint32_t code) {  // control characters, and those that reorder the text around them
  return code < 0xa0 || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

Cell multibyte_cell(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  uint32_t code = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0u) != 0x80u) return {};
    code = code << 6u | (byte & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {length, !steers_terminal(code)};
}

Cell cell_at(std::string_view text, size_t at) {
  const auto byte = static_cast<uint8_t>(text[at]);
  if (byte < 0x80) return {1, byte >= 0x20 && byte != 0x7f};
  return multibyte_cell(text.substr(at));
}

void append_cell(std::string& out, std::string_view text, size_t at, Cell cell) {
  if (cell.printable)
    out.append(text.substr(at, cell.length));
  else
    out.push_back(text[at] == '\t' ? '\t' : '?');
}

std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Cell cell = cell_at(text, at);
    append_cell(out, text, at, cell);
    at += cell.length;
  }
  return out;
}

size_t forward(std::string_view text, size_t at, size_t cells) {
  for (; cells > 0 && at < text.size(); --cells) at += cell_at(text, at).length;
  return at;
}

size_t backward(std::string_view text, size_t at, size_t cells) {
  for (; cells > 0 && at > 0; --cells) {
    --at;
    for (int i = 0; i < 3 && at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0u) == 0x80u; ++i) --at;
  }
  return at;
}

struct Window {
  size_t begin;
  size_t end;
};

// The part of the line to show, so that the byte at `caret` is in it.
Window window_around(std::string_view text, size_t caret) {
  const size_t end = forward(text, 0, kWidth);
  if (end == text.size()) return {0, end};
  const size_t begin = backward(text, caret, kBefore);
  return {begin, forward(text, begin, kWidth)};
}

// The source line of `span` and its caret line.
void append_source(std::string& out, Span span, const Position& position) {
  std::string_view text = position.text;
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  const size_t first = std::min<size_t>(position.column - 1, text.size());
  const size_t last = std::min<size_t>(first + (span.end - std::min(span.begin, span.end)), text.size());
  const Window window = window_around(text, first);
  std::string shown(window.begin > 0 ? kCut : "");
  std::string caret(shown.size(), ' ');
  for (size_t at = window.begin; at < window.end;) {
    const Cell cell = cell_at(text, at);
    append_cell(shown, text, at, cell);
    const bool here = first >= at && first < at + cell.length;
    if (here) caret.push_back('^');
    if (at < first && !here) caret.push_back(text[at] == '\t' ? '\t' : ' ');
    if (at > first && at < last) caret.push_back('~');
    at += cell.length;
  }
  if (window.end < text.size()) shown += kCut;
  if (first >= window.end) caret.push_back('^');
  const size_t digits = std::max<size_t>(5, fmt::formatted_size("{}", position.line));
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{:>{}} |{}{}\n", position.line, digits, shown.empty() ? "" : " ", shown);
  fmt::format_to(to, "{:>{}} | {}\n", "", digits, caret);
}

void append_headline(std::string& out, const Position& position, std::string_view label, std::string_view text) {
  fmt::format_to(std::back_inserter(out), "{}:{}:{}: {}: {}{}\n", printable(position.file), position.line,
                 position.column, label, printable(text.substr(0, kLongest)), text.size() > kLongest ? kCut : "");
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out;
  const bool error = diagnostic.severity == Diagnostic::Severity::Error;
  const Position position = sources.locate(diagnostic.span.begin);
  append_headline(out, position, error ? "error" : "warning", diagnostic.message);
  append_source(out, diagnostic.span, position);
  for (const Note& note : diagnostic.notes) {
    if (note.span) {
      const Position place = sources.locate(note.span->begin);
      append_headline(out, place, "note", note.text);
      append_source(out, *note.span, place);
    } else {
      fmt::format_to(std::back_inserter(out), "   {}\n", printable(note.text));
    }
  }
  return out;
}

}  // namespace netbatch::grammar
