// Source to operations: read, parse, expand, interpret. Everything that can be wrong with a script without asking the
// kernel is found here, before anything is changed.
#pragma once

#include <memory>

#include "interpreter/check.hpp"
#include "interpreter/expand.hpp"
#include "interpreter/operation.hpp"
#include "interpreter/scripts.hpp"

namespace netbatch {

class Program {
 public:
  explicit Program(std::vector<Definition> definitions, Scripts::Reader reader = read_file,
                   uint64_t most_steps = Expander::kMostSteps)
      : definitions_(std::move(definitions)), scripts_(sources, reader), most_steps_(most_steps) {}

  // `file` is a path, or "-" for standard input. Returns false when it cannot be read or parsed: `unreadable` or
  // `errors` says why.
  bool load(const std::string& file);
  // The same with a text that is there already.
  bool load(std::string name, std::string text);

  // Appends the operations of the next statements to `operations`, at most `limit`; none at the end of the script.
  // `errors` gets what is wrong with them, at most kMostErrors in all.
  void next(Operations& operations, size_t limit);
  // Interprets the rest and keeps nothing but the errors and the warnings.
  void check();
  // The same, and follows the names of links through the script: see check.hpp.
  void check_names();
  // Back to the first statement.
  void rewind();
  bool has_errors() const { return !errors.empty() || !unreadable.empty(); }

  // The notes "in the loop at …" of operation `index`, counted from the first.
  std::vector<grammar::Note> context_of(size_t index);

  grammar::Sources sources;
  Namespaces namespaces;
  std::string unreadable;  // why there is no script at all
  std::vector<Diagnostic> errors;
  bool more_errors = false;          // than kMostErrors
  std::vector<Diagnostic> warnings;  // at most kMostErrors, too
  size_t operation_count = 0;        // so far

  static constexpr size_t kMostErrors = 20;
  static constexpr size_t kMostRepeated = 10'000;

 private:
  bool loaded(const std::string& file, int failure, std::optional<Diagnostic>& error);
  void report(Diagnostic error);
  void add_definitions();
  void refuse_unused_definitions();
  void find_unused_variables();

  std::vector<Definition> definitions_;
  Scripts scripts_;
  uint64_t most_steps_;
  size_t repeated_ = 0;  // errors at a place that has one
  std::optional<Expander> expander_;
  std::optional<Checker> checker_;
};

}  // namespace netbatch
