// Source to operations: read, parse, expand, interpret. Everything that can be wrong with a script without asking the
// kernel is found here, before anything is changed.
#pragma once

#include <memory>

#include "grammar/parser.hpp"
#include "interpreter/expand.hpp"
#include "interpreter/operation.hpp"

namespace netbatch {

class Program {
 public:
  explicit Program(std::vector<Definition> definitions) : definitions_(std::move(definitions)) {}

  // `file` is a path, or "-" for standard input. Returns false, and fills `errors`, when it cannot be read or parsed.
  bool load(const std::string& file);
  // The same with a text that is there already.
  bool load(std::string name, std::string text);

  // Appends the operations of the next statements to `operations`, at most `limit`; none at the end of the script.
  // `errors` gets what is wrong with them, at most kMostErrors in all.
  void next(Operations& operations, size_t limit);
  // Interprets the rest and keeps nothing but the errors and the warnings.
  void check();
  // Back to the first statement.
  void rewind();
  bool has_errors() const { return !errors.empty(); }

  // The notes "in the loop at …" of operation `index`, counted from the first.
  std::vector<grammar::Note> context_of(size_t index);

  grammar::Sources sources;
  Namespaces namespaces;
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
  size_t operation_count = 0;  // so far

  static constexpr size_t kMostErrors = 20;

 private:
  void report(Diagnostic error);
  void add_definitions();
  void refuse_unused_definitions();
  void find_unused_variables();

  std::vector<Definition> definitions_;
  grammar::Script script_;
  std::optional<Expander> expander_;
};

}  // namespace netbatch
