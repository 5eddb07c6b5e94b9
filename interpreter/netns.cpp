#include "interpreter/netns.hpp"

#include <fmt/format.h>

namespace netbatch {
namespace {

// The name becomes a file below /run/netns.
bool check_name(Parser& parser, const Argument& word) {
  constexpr size_t kMax = 255;
  const std::string_view name = word.text;
  if (name.empty()) return parser.fail(word.span, "a namespace's name is not empty");
  if (name.size() > kMax) {
    return parser.fail(
        word.span, fmt::format("the namespace's name is {} bytes long; at most {} are possible", name.size(), kMax));
  }
  if (name == "." || name == ".." || name.find('/') != std::string_view::npos) {
    return parser.fail(word.span, fmt::format("'{}' is not a namespace's name: it has to be a file name", name));
  }
  return true;
}

}  // namespace

bool parse_netns(const ParseContext& context, std::string_view command, Verb verb) {
  Parser parser(context, command, Object::Netns, verb);
  while (const Argument* word = parser.peek()) {
    parser.advance();
    if (word->kind != ArgumentKind::Word) continue;
    if (!parser.op.name.empty()) {
      return parser.fail(word->span, fmt::format("'{}' takes one name, found also '{}'", command, word->text));
    }
    if (!check_name(parser, *word)) return false;
    parser.op.name = word->text;
    parser.namespaces().intern(word->text);
    parser.op.name_span = word->span;
  }
  if (parser.op.name.empty())
    return parser.fail(context.statement, fmt::format("'{}' needs a namespace's name", command));
  return parser.finish();
}

}  // namespace netbatch
