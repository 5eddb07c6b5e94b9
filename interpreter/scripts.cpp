#include "interpreter/scripts.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "grammar/parser.hpp"

namespace netbatch {
namespace {

// A path in a script is relative to the script's own directory. N.B. `-` is a file here, not standard input.
std::string path_from(std::string_view script, std::string_view path) {
  const size_t slash = script.rfind('/');
  if (path.starts_with('/')) return std::string(path);
  if (slash == std::string_view::npos) return fmt::format("{}{}", path == "-" ? "./" : "", path);
  return fmt::format("{}{}", script.substr(0, slash + 1), path);
}

}  // namespace

// Null when the Sources are full.
Scripts::File* Scripts::add(std::string name, std::string text) {
  grammar::Sources::File source = 0;
  if (!sources_.add(std::move(name), std::move(text), &source)) return nullptr;
  File& file = files_.emplace_back();
  file.error = grammar::parse(sources_, source, file.script);
  return &file;
}

int Scripts::load(std::string name, std::string text, std::optional<grammar::Diagnostic>& error) {
  const File* file = add(std::move(name), std::move(text));
  if (file == nullptr) return EFBIG;
  error = file->error;
  return 0;
}

int Scripts::load(const std::string& path, std::optional<grammar::Diagnostic>& error) {
  std::string text;
  FileId id;
  if (const int failure = reader_(path, text, id); failure != 0) return failure;
  if (const int failure = load(path == "-" ? "<stdin>" : path, std::move(text), error); failure != 0) return failure;
  if (path != "-") by_id_[id] = &files_.back();
  return 0;
}

const grammar::Script* Scripts::include(const grammar::Script& from, std::string_view path, grammar::Span word,
                                        grammar::Diagnostic& error) {
  const std::string whole = path_from(sources_.name(from.file), path);
  File*& file = by_path_[whole];
  if (file == nullptr) {
    std::string text;
    FileId id;
    const int failure = reader_(whole, text, id);
    if (failure == 0) {
      File*& same = by_id_[id];
      if (same == nullptr) same = add(whole, std::move(text));
      file = same;
    }
    if (file == nullptr) {
      error = {.span = word,
               .message = fmt::format("cannot read '{}': {}", whole, std::strerror(failure != 0 ? failure : EFBIG))};
      return nullptr;
    }
  }
  if (!file->error) return &file->script;
  error = *file->error;
  return nullptr;
}

}  // namespace netbatch
