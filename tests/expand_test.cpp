#include "interpreter/expand.hpp"

#include <doctest/doctest.h>

#include "interpreter/program.hpp"
#include "tests/support/expansion.hpp"

using netbatch::Definition;
using netbatch::Operations;
using netbatch::Program;
using netbatch::test::expand;

namespace {

// What `check` says of the script.
std::string check(std::string script, std::vector<Definition> definitions = {}) {
  Program program(std::move(definitions));
  if (program.load("test.nb", std::move(script))) program.check();
  std::string text;
  for (const auto& warning : program.warnings) text += netbatch::grammar::render(warning, program.sources);
  for (const auto& error : program.errors) text += netbatch::grammar::render(error, program.sources);
  return text;
}

}  // namespace

TEST_CASE("expand: variables") {
  CHECK(expand("let n = 3\nlet name = \"web\"\nadd v$n $name${n}x ${n + 1} $$n 'v$n' \"v$n $name\"\n") ==
        "add v3 web3x 4 $n v$n v3 web\n");
  CHECK(expand("let a = 2\nlet b = ${a * a}\nlet c = \"x$b\"\nsay $b $c\n") == "say 4 x4\n");
}

TEST_CASE("expand: ranges and lists") {
  CHECK(expand("for i in 1..3 { say $i }\n") == "say 1\nsay 2\nsay 3\n");
  CHECK(expand("let n = 2\nfor i in $n..${n + 1} { say $i }\n") == "say 2\nsay 3\n");
  CHECK(expand("for i in 5..5 { say $i }\n") == "say 5\n");
  CHECK(expand("for i in 2..1 { say $i }\n").empty());
  CHECK(expand("let k = \"x\"\nfor h in web \"d b\" $k { say $h }\n") == "say web\nsay d b\nsay x\n");
  CHECK(expand("for i in 9223372036854775806..9223372036854775807 { say $i }\n") ==
        "say 9223372036854775806\nsay 9223372036854775807\n");
}

TEST_CASE("expand: loops in loops, and what they declare") {
  CHECK(expand("for i in 1..2 { let k = ${i * 10}\nfor j in a b { say $i $j $k } }\n") ==
        "say 1 a 10\nsay 1 b 10\nsay 2 a 20\nsay 2 b 20\n");
  CHECK(expand("for i in 1..2 { say $i }\nfor i in 3..3 { say $i }\n") == "say 1\nsay 2\nsay 3\n");
}

TEST_CASE("expand: a variable ends with its block") {
  CHECK(expand("for i in 1..1 { let k = 1 }\nsay $k\n") ==
        "test.nb:2:6: error: no variable named 'k'\n"
        "    2 | say $k\n"
        "      |      ^\n");
}

TEST_CASE("expand: no variable hides another") {
  CHECK(expand("let i = 1\nfor i in 1..2 { say $i }\n") ==
        "test.nb:2:5: error: a variable named 'i' is in scope already\n"
        "    2 | for i in 1..2 { say $i }\n"
        "      |     ^\n"
        "test.nb:1:5: note: it was made here\n"
        "    1 | let i = 1\n"
        "      |     ^\n");
  CHECK(expand("let a = 1\nlet a = 2\nsay $a\n").starts_with("test.nb:2:5: error: a variable named 'a'"));
}

TEST_CASE("expand: an error is followed by the loops that it is in, and the script goes on behind it") {
  CHECK(expand("for i in 3..4 {\n  for h in web {\n    say ${7 / (4 - i)} $h\n  }\n}\nsay end\n") ==
        "say 7 web\n"
        "test.nb:3:13: error: 7 / 0: division by zero\n"
        "    3 |     say ${7 / (4 - i)} $h\n"
        "      |             ^\n"
        "   in the loop at test.nb:2 with h = web\n"
        "   in the loop at test.nb:1 with i = 4\n"
        "say end\n");
}

TEST_CASE("expand: a range needs numbers") {
  CHECK(expand("let n = \"many\"\nfor i in 1..$n { say $i }\n") ==
        "test.nb:2:13: error: a range needs numbers, found 'many'\n"
        "    2 | for i in 1..$n { say $i }\n"
        "      |             ^~\n");
}

TEST_CASE("expand: a variable without a value is the one error, not each of its uses") {
  CHECK(expand("let n = 1 / 0\n"
               "let m = $n + 1\n"
               "say $n ${m * 2}\n"
               "for i in 1..$m { say $i; say $other }\n"
               "for w in a$n b { say $w }\n"
               "netns c$n { say $n }\n"
               "say done\n") ==
        "test.nb:1:11: error: 1 / 0: division by zero\n"
        "    1 | let n = 1 / 0\n"
        "      |           ^\n"
        "test.nb:4:31: error: no variable named 'other'\n"
        "    4 | for i in 1..$m { say $i; say $other }\n"
        "      |                               ^~~~~\n"
        "say b\n"
        "say done\n");
}

TEST_CASE("expand: the body of a loop whose header is in error is looked at once") {
  CHECK(expand("for i in 1..1 / 0 {\n  let k = $i\n  say $i $k\n  say hello\n  say ${1 / 0}\n}\nsay $i\n") ==
        "test.nb:1:15: error: 1 / 0: division by zero\n"
        "    1 | for i in 1..1 / 0 {\n"
        "      |               ^\n"
        "say hello\n"
        "test.nb:5:11: error: 1 / 0: division by zero\n"
        "    5 |   say ${1 / 0}\n"
        "      |           ^\n"
        "test.nb:7:6: error: no variable named 'i'\n"
        "    7 | say $i\n"
        "      |      ^\n");
}

TEST_CASE("expand: a text without quotes is a name") {
  CHECK(expand("let h = web\n") ==
        "test.nb:1:9: error: no variable named 'web'\n"
        "    1 | let h = web\n"
        "      |         ^~~\n"
        "   a text is written in quotes\n");
}

TEST_CASE("expand: a word of a list that cannot be read has no turn") {
  CHECK(expand("for h in a $x b { say $h }\n") ==
        "say a\n"
        "test.nb:1:13: error: no variable named 'x'\n"
        "    1 | for h in a $x b { say $h }\n"
        "      |             ^\n"
        "   in the loop at test.nb:1 with h = a\n"
        "say b\n");
}

TEST_CASE("expand: namespaces") {
  CHECK(expand("netns lab { link set lo up }\nlink set lo up\n") == "[lab] link set lo up\nlink set lo up\n");
  CHECK(expand("for i in 1..2 { netns c$i { say $i } }\n") == "[c1] say 1\n[c2] say 2\n");
  CHECK(expand("netns lab { for i in 1..2 { say $i } }\n") == "[lab] say 1\n[lab] say 2\n");
}

TEST_CASE("expand: namespaces do not nest") {
  CHECK(expand("netns lab {\n  netns other { link set lo up }\n}\n") ==
        "test.nb:2:3: error: a netns block inside a netns block\n"
        "    2 |   netns other { link set lo up }\n"
        "      |   ^~~~~~~~~~~\n"
        "   it is in namespace 'lab'; close that block first\n");
}

TEST_CASE("expand: a long loop takes the memory of one statement") {
  CHECK(check("let n = 300000\nfor i in 1..$n { link set v$i up }\n").empty());
}

TEST_CASE("definitions: a let outside of blocks takes the value of the command line") {
  CHECK(expand("let n = 3\nlet h = web\nfor i in 1..$n { say $h$i }\n", {{"n", "1"}, {"h", "db"}}) == "say db1\n");
  CHECK(expand("let n = 3\nsay ${n + 1}\n", {{"n", "-5"}}) == "say -4\n");
  CHECK(expand("let n = 3\nsay $n\n", {{"n", ""}}) == "say \n");
  CHECK(expand("let n = 3\nsay $n\n", {{"n", "1"}, {"n", "2"}}) == "say 2\n");
  CHECK(expand("for i in 1..1 { let n = 3\nsay $n }\n", {{"n", "7"}}) == "say 3\n");
}

TEST_CASE("definitions: a text is not a number") {
  CHECK(check("let n = 3\nlink set v${n + 1} up\n", {{"n", "3x"}}) ==
        "test.nb:2:15: error: cannot calculate with the text '3x'\n"
        "    2 | link set v${n + 1} up\n"
        "      |               ^\n");
}

TEST_CASE("definitions: one that the script does not use is an error") {
  CHECK(check("let n = 3\nlink set v$n up\n", {{"m", "4"}, {"n", "5"}, {"long", "x y"}}) ==
        "<command line>:1:4: error: the script has no 'let m' outside of blocks\n"
        "    1 | -D m=4\n"
        "      |    ^\n"
        "<command line>:3:4: error: the script has no 'let long' outside of blocks\n"
        "    3 | -D long=x y\n"
        "      |    ^~~~\n");
}

TEST_CASE("check: a variable that is never used") {
  CHECK(check("let n = 3\nlet k = 4\nfor i in 1..0 { link set v$k up }\nlink set w0 up\n") ==
        "test.nb:1:5: warning: the variable 'n' is never used\n"
        "    1 | let n = 3\n"
        "      |     ^\n");
}

TEST_CASE("check: twenty errors in one go, each once") {
  std::string script = "for i in 1..100 { link set v$i mtuu 5 }\n";
  const std::string once = check(script);
  CHECK(once.find("error") == once.rfind("error"));
  CHECK(once.find("   in the loop at test.nb:1 with i = 1\n") != once.npos);
  for (int i = 0; i < 50; ++i) script += "link set w0 mtuu 5\n";
  Program program({});
  REQUIRE(program.load("test.nb", script));
  program.check();
  CHECK(program.errors.size() == 20);
}
