// The script and the files that it includes, each read and parsed once.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "grammar/ast.hpp"
#include "grammar/diagnostic.hpp"
#include "interpreter/read_file.hpp"

namespace netbatch {

class Scripts {
 public:
  using Reader = int (*)(const std::string& path, std::string& text, FileId& id);

  // `sources` outlives this.
  explicit Scripts(grammar::Sources& sources, Reader reader = read_file) : sources_(sources), reader_(reader) {}

  // Begins with the file at `path`, "-" for standard input. 0; or errno when it cannot be read; EFBIG when it is too
  // long. A syntax error is left in `error`.
  int load(const std::string& path, std::optional<grammar::Diagnostic>& error);
  // The same with a text that is there already.
  int load(std::string name, std::string text, std::optional<grammar::Diagnostic>& error);

  // The script at `path` as seen from `from`; it stays where it is. Null with an `error` when it cannot be read, at
  // `word`, or has a syntax error, at its place.
  const grammar::Script* include(const grammar::Script& from, std::string_view path, grammar::Span word,
                                 grammar::Diagnostic& error);

  const grammar::Sources& sources() const { return sources_; }
  const grammar::Script& main() const { return files_.front().script; }
  // Those that have been parsed so far: the main script is the first.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const File& file : files_)
      if (!file.error) visit(file.script);
  }

 private:
  struct File {
    grammar::Script script;
    std::optional<grammar::Diagnostic> error;
  };
  File* add(std::string name, std::string text);

  grammar::Sources& sources_;
  Reader reader_;
  std::deque<File> files_;
  std::map<std::string, File*> by_path_;
  std::map<FileId, File*> by_id_;  // one file can have several paths
};

}  // namespace netbatch
