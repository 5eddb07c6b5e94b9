#include "grammar/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/actions.hpp"

namespace netbatch::grammar {
namespace {

namespace pegtl = tao::pegtl;

template <typename Rule>
struct control : pegtl::normal<Rule> {
  template <typename Input>
  [[noreturn]] static void raise(const Input& in, Builder& builder) {
    builder.fail<Rule>({in.current(), 0});
  }
};

bool in_token(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool in_found_word(char c) { return rules::class_of(c) != rules::kBlank && rules::class_of(c) != rules::kEnd; }

// How far the thing at the start of `rest` reaches; at least one byte if there is one.
size_t reach(std::string_view rest, Mark mark) {
  const auto end = mark == Mark::Byte    ? rest.begin()
                   : mark == Mark::Token ? std::find_if_not(rest.begin(), rest.end(), in_token)
                                         : std::find_if_not(rest.begin(), rest.end(), in_found_word);
  return std::clamp<size_t>(static_cast<size_t>(end - rest.begin()), 1, std::max<size_t>(rest.size(), 1));
}

std::string found(std::string_view rest, size_t length) {
  constexpr size_t kLongest = 40;
  if (rest.empty()) return "the end of the file";
  if (rest[0] == '\n' || rest.substr(0, 2) == "\r\n") return "the end of the line";
  if (const auto byte = static_cast<unsigned char>(rest[0]); byte < 0x20 || byte == 0x7f)
    return fmt::format("byte 0x{:02x}", byte);
  if (length > kLongest) return fmt::format("'{}...'", rest.substr(0, kLongest));
  return fmt::format("'{}'", rest.substr(0, length));
}

Diagnostic describe(const Failure& failure, std::string_view text, uint32_t base) {
  const auto at = static_cast<size_t>(failure.place.data() - text.data());
  const std::string_view rest = text.substr(at);
  const size_t length = failure.place.empty() ? reach(rest, failure.message.mark) : failure.place.size();
  const auto begin = base + static_cast<uint32_t>(at);
  Diagnostic diagnostic{.span = {begin, begin + static_cast<uint32_t>(std::min(length, rest.size()))},
                        .message = std::string(failure.message.text)};
  if (failure.message.mark != Mark::Byte) diagnostic.message += ", found " + found(rest, length);
  if (!failure.message.hint.empty()) diagnostic.notes.push_back({std::string(failure.message.hint), {}});
  return diagnostic;
}

// Reserves what the file will need if the rest of it is like its first part. Memory that is never touched costs
// nothing.
void reserve(Script& script, std::string_view text) {
  const std::string_view sample = text.substr(0, 65536);
  if (sample.empty()) return;
  size_t words = 0;
  size_t lines = 0;
  char before = '\n';
  for (char c : sample) {
    const bool separates = c == ' ' || c == '\n';
    if (!separates && (before == ' ' || before == '\n')) ++words;
    if (c == '\n') ++lines;
    before = c;
  }
  const double scale = 1.1 * static_cast<double>(text.size()) / static_cast<double>(sample.size());
  script.words.reserve(static_cast<size_t>(static_cast<double>(words) * scale) + 16);
  script.statements.reserve(static_cast<size_t>(static_cast<double>(lines) * scale) + 16);
}

}  // namespace

std::optional<Diagnostic> parse(Sources& sources, Sources::File file, Script& script) {
  const std::string_view text = sources.text(file);
  script = {};
  script.file = file;
  reserve(script, text);
  Builder builder(sources, file, script);
  pegtl::memory_input<pegtl::tracking_mode::lazy, pegtl::eol::lf, const char*> in(text.data(),
                                                                                  text.data() + text.size(), "");
  try {
    // The last rule of `file` raises what is left over, so there is no third way out.
    static_cast<void>(pegtl::parse<rules::file, action, control>(in, builder));
  } catch (const Failure& failure) {
    return describe(failure, text, sources.base(file));
  }
  return std::nullopt;
}

}  // namespace netbatch::grammar
