// What a script may cost has bounds, and reaching one is an error with a place.
#include <doctest/doctest.h>

#include <string>

#include "interpreter/program.hpp"
#include "tests/support/expansion.hpp"

namespace netbatch::test {
namespace {

std::string check(const std::string& script, uint64_t most_steps, Scripts::Reader reader = read_file) {
  Program program({}, reader, most_steps);
  if (program.load("test.nb", script)) program.check();
  std::string text;
  for (const Diagnostic& error : program.errors) text += grammar::render(error, program.sources);
  return text;
}

// Files a to y: each includes the next one twice.
int read_fan(const std::string& path, std::string& text, FileId& id) {
  const std::string next(1, static_cast<char>(path[0] + 1));
  text = path == "z" ? "link set v0 up\n" : "include \"" + next + "\"\ninclude \"" + next + "\"\n";
  id = {1, static_cast<uint64_t>(path[0])};
  return 0;
}

}  // namespace

TEST_CASE("limits: an arena forgets what was made after a mark") {
  Arena arena;
  const std::string long_text(100'000, 'x');
  CHECK(arena.copy("kept") == "kept");
  const std::string_view kept = arena.copy("too");
  const Arena::Mark mark = arena.mark();
  const char* const first = arena.copy("a").data();
  arena.copy(long_text);
  arena.copy(long_text);
  arena.rewind(mark);
  CHECK(arena.copy("b").data() == first);
  CHECK(kept == "too");
  CHECK(arena.copy(long_text) == long_text);
  arena.clear();
  CHECK(arena.copy(long_text) == long_text);
}

TEST_CASE("limits: an empty arena can be rewound") {
  Arena arena;
  const Arena::Mark mark = arena.mark();
  arena.copy("a");
  arena.rewind(mark);
  CHECK(arena.copy("b") == "b");
}

TEST_CASE("limits: a word has at most 4,096 bytes") {
  const std::string longest(4096, 'x');
  CHECK(expand("say " + longest + "\n") == "say " + longest + "\n");
  CHECK(expand("let a = \"" + longest + "\"\nsay $a\n") == "say " + longest + "\n");
  CHECK(expand("say  " + longest + "x\n").starts_with("test.nb:1:6: error: a word has at most 4096 bytes\n"));
  CHECK(expand("let a = \"" + longest + "\"\nsay ok ${a}x on\n") ==
        "test.nb:2:8: error: a word has at most 4096 bytes\n"
        "    2 | say ok ${a}x on\n"
        "      |        ^~~~~\n");
}

TEST_CASE("limits: variables that double each other's text") {
  std::string script = "let v0 = \"0123456789\"\n";
  for (int i = 1; i < 60; ++i)
    script += "let v" + std::to_string(i) + " = \"$v" + std::to_string(i - 1) + "$v" + std::to_string(i - 1) + "\"\n";
  CHECK(check(script, 100).starts_with("test.nb:10:11: error: a word has at most 4096 bytes\n"));
}

TEST_CASE("limits: at most 4,096 variables are in scope") {
  std::string script;
  for (int i = 0; i < 4097; ++i) script += "let v" + std::to_string(i) + " = 1\n";
  CHECK(expand(script) ==
        "test.nb:4097:5: error: there are more than 4096 variables in scope\n"
        " 4097 | let v4096 = 1\n"
        "      |     ^~~~~\n");
  CHECK(expand("for i in 1..5000 { let x = $i }\nsay on\n") == "say on\n");
}

TEST_CASE("limits: files that include each other fan out") {
  CHECK(check("include \"a\"\n", 1000, read_fan)
            .starts_with("y:2:1: error: the loops and includes of this script make too many statements\n"));
}

TEST_CASE("limits: statements outside of loops are not counted") {
  std::string script;
  for (int i = 0; i < 100; ++i) script += "link set v0 up\n";
  CHECK(check(script, 10) == "");
  CHECK(check(script + "for i in 1..2 { link set v0 up }\n", 4) == "");
}

TEST_CASE("limits: a long statement in a loop counts for several") {
  std::string script = "for i in 1..2 {\n  link set v0";
  for (int i = 0; i < 100; ++i) script += " up";
  CHECK(check(script + "\n}\n", 12) == "");
  CHECK(check(script + "\n}\n", 2)
            .starts_with("test.nb:2:3: error: the loops and includes of this script make too many statements\n"));
}

TEST_CASE("limits: an error in every round of a long loop ends the search") {
  Program program({});
  REQUIRE(program.load("test.nb", "for i in 1..20000 { link set v$i mtuu 5 }\nlink sat v0\n"));
  program.check();
  CHECK(program.errors.size() == 1);
  CHECK(program.more_errors);
}

TEST_CASE("limits: a message has at most 1,000 bytes") {
  const std::string message = expand("say ${mac(\"" + std::string(5000, 'x') + "\", 1)}\n");
  CHECK(message.starts_with("test.nb:1:7: error: 'xxx"));
  CHECK(message.find("xxx...\n") != std::string::npos);
  CHECK(message.size() < 1500);
}

}  // namespace netbatch::test
