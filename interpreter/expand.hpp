// AST to commands: variables filled in, loops unrolled one step at a time, so that a loop of a million needs the memory
// of one statement.
#pragma once

#include "interpreter/command.hpp"
#include "interpreter/evaluate.hpp"
#include "interpreter/operation.hpp"
#include "interpreter/scripts.hpp"

namespace netbatch {

struct Definition {  // -D name=value
  std::string name;
  std::string value;
  Span span{};  // in the Sources: the name on the command line
};

class Expander {
 public:
  // Rounds of all loops, and the statements in them and in included files, a long one once more for each kWordsOfStep
  // words: a bound for what a slip of the pen can cost.
  static constexpr uint64_t kMostSteps = 10'000'000;
  static constexpr uint32_t kWordsOfStep = 16;

  // `scripts`, `definitions` and `namespaces` outlive the expander.
  Expander(Scripts& scripts, std::span<const Definition> definitions, Namespaces& namespaces,
           uint64_t most_steps = kMostSteps);

  enum class Step : uint8_t { Command, End, Error };

  // The next command. Its words live as long as `arena` and the sources; the command itself until the next call.
  // After an Error, which is in `error`, the next call goes on behind it. An error without a message comes from one
  // that was given before.
  Step next(Arena& arena, Command& command, Diagnostic& error);

  // The namespace of the `netns X { }` around the last command, or 0.
  NsId block() const { return frames_.back().ns; }
  // The number of the `transaction { }` around the last command, or 0.
  uint32_t transaction() const { return frames_.back().transaction; }
  // Definitions whose name no `let` has declared so far.
  std::vector<Definition> unused_definitions() const;
  // "in the loop at …" and "included from …", innermost first, for the last command.
  std::vector<grammar::Note> context() const;

 private:
  struct Frame {
    const grammar::Script* script = nullptr;
    uint32_t index = 0;  // the next statement
    uint32_t end = 0;
    NsId ns = 0;
    uint32_t transaction = 0;
    size_t scope = 0;                             // size of the scope outside
    Arena::Mark values{};                         // and of its values
    const grammar::Statement* include = nullptr;  // the frame is a file that this statement includes
    const grammar::Statement* loop = nullptr;
    uint32_t body = 0;  // first statement of the loop's body
    int64_t current = 0;
    int64_t last = 0;  // range: the last number; list: the number of words
  };

  Frame body_of(const grammar::Statement& statement) const;
  bool enter(const grammar::Statement& statement, Diagnostic& error);
  bool poison_loop(const grammar::Statement& statement);
  bool enter_loop(const grammar::Statement& statement, Diagnostic& error);
  bool read_range(const grammar::Statement& statement, Frame& frame, Diagnostic& error);
  bool spend(uint64_t further, const grammar::Statement& statement, Diagnostic& error);
  bool enter_netns(const grammar::Statement& statement, Diagnostic& error);
  bool enter_transaction(const grammar::Statement& statement, Diagnostic& error);
  bool include(const grammar::Statement& statement, Diagnostic& error);
  bool may_include(const grammar::Script& script, Span word, Diagnostic& error) const;
  std::string included_from(const grammar::Statement& statement) const;
  bool let(const grammar::Statement& statement, Diagnostic& error);
  bool bind_loop(Diagnostic& error);
  void leave();
  bool declare(Span name, Diagnostic& error);
  const Definition* define(std::string_view name);
  bool fill(const grammar::Statement& statement, Arena& arena, Diagnostic& error);

  const grammar::Script& script() const { return *frames_.back().script; }

  const grammar::Sources& sources_;
  Scripts& scripts_;
  std::span<const Definition> definitions_;
  std::vector<bool> definition_used_;
  Namespaces& namespaces_;
  Scope scope_;
  Evaluator evaluator_;
  std::vector<Frame> frames_;
  std::vector<Argument> arguments_;
  uint32_t transactions_ = 0;  // so far
  uint64_t most_steps_;
  uint64_t steps_left_;
  Arena values_;  // of `let` and `for`, which outlive an arena that is cleared between commands, and of other heads
};

}  // namespace netbatch
