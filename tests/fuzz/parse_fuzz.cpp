// Any bytes are a script or a diagnostic that can be shown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "grammar/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace netbatch::grammar;
  Sources sources;
  Sources::File file = 0;
  if (!sources.add("fuzz.nb", std::string(data, data + size), &file)) return 0;
  Script script;
  if (const auto diagnostic = parse(sources, file, script)) {
    if (render(*diagnostic, sources).empty()) std::abort();
    return 0;
  }
  size_t words = 0;
  for (uint32_t i = 0; i < script.statements.size(); ++i) {
    const Statement& statement = script.statements[i];
    if (statement.end <= i || statement.end > script.statements.size()) std::abort();
    if (statement.first_word != words) std::abort();
    words += statement.word_count;
    sources.text(statement.span);
  }
  if (words != script.words.size()) std::abort();
  for (const Word& word : script.words) sources.text(word.span);
  for (const Part& part : script.parts) sources.text(part.span);
  for (const Token& token : script.tokens) sources.text(token.span);
  return 0;
}
