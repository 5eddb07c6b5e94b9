// The text of every diagnostic of the grammar, and of its renderer.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>

#include "grammar/messages.hpp"
#include "grammar/parser.hpp"

using namespace netbatch::grammar;
using namespace std::string_view_literals;

namespace {

std::string error_of(std::string_view text) {
  Sources sources;
  Sources::File file = 0;
  REQUIRE(sources.add("t.nb", std::string(text), &file));
  Script script;
  const auto diagnostic = parse(sources, file, script);
  return diagnostic ? render(*diagnostic, sources) : "accepted";
}

struct Golden {
  std::string_view script;
  std::string_view expected;  // after its first newline
};

// clang-format off
const Golden kGolden[] = {
    {"link set v0 up\n# comment \0 here\n"sv, R"(
t.nb:2:11: error: a NUL byte cannot stand in a script
    2 | # comment ? here
      |           ^
   is this a text file?
)"},
    {"link set v\001 up", R"(
t.nb:1:11: error: expected a word: control characters stand in quotes and comments only, found byte 0x01
    1 | link set v? up
      |           ^
   if it belongs to a word, put the word in quotes
)"},
    {"link set 'v0 up\nnext'", R"(
t.nb:1:10: error: unterminated quote: it has to be closed on this line
    1 | link set 'v0 up
      |          ^
   end a line with '\' to continue the text on the next one
)"},
    {"link set v0 alias \"core \\\n switch\n", R"(
t.nb:1:19: error: unterminated quote: it has to be closed on this line
    1 | link set v0 alias "core \
      |                   ^
   end a line with '\' to continue the text on the next one
)"},
    {"link set v0 alias \"a b\"$n", R"(
t.nb:1:24: error: expected a blank after the closing quote, found '$n'
    1 | link set v0 alias "a b"$n
      |                        ^~
   quotes go around a whole word: "a b$n", not "a b"$n
)"},
    {"link set 'v0'up", R"(
t.nb:1:14: error: expected a blank after the closing quote, found 'up'
    1 | link set 'v0'up
      |              ^~
   quotes go around a whole word: "a b$n", not "a b"$n
)"},
    {"link set v$ up", R"(
t.nb:1:11: error: expected a name or '{' after '$'
    1 | link set v$ up
      |           ^
   write '$$' for a dollar sign
)"},
    {"link set \"$-\"", R"(
t.nb:1:11: error: expected a name or '{' after '$'
    1 | link set "$-"
      |           ^
   write '$$' for a dollar sign
)"},
    {"${$ + 1}", R"(
t.nb:1:3: error: expected a name or '{' after '$'
    1 | ${$ + 1}
      |   ^
   write '$$' for a dollar sign
)"},
    {"link set v0 \\\n", R"(
t.nb:2:1: error: '\' continues the line, but the file ends here
    2 |
      | ^
)"},
    {"link set v0 \\", R"(
t.nb:1:14: error: '\' continues the line, but the file ends here
    1 | link set v0 \
      |              ^
)"},
    {"for i in 1..2 {\n    netns c$i {\n        link set lo up\n}\n", R"(
t.nb:1:15: error: '{' is never closed
    1 | for i in 1..2 {
      |               ^
   a '}' is missing between here and the end of the file
)"},
    {"link add v1 type veth peer { name eth0\n", R"(
t.nb:1:28: error: '{' is never closed
    1 | link add v1 type veth peer { name eth0
      |                            ^
   a '}' is missing between here and the end of the file
)"},
    {"link set lo up }\n", R"(
t.nb:1:16: error: '}' without a '{' before it
    1 | link set lo up }
      |                ^
)"},
    {"for i in 1..2\n{\n}", R"(
t.nb:1:14: error: expected '{' to begin the body of the loop, found the end of the line
    1 | for i in 1..2
      |              ^
   it has to be on this line
)"},
    {"link add v1 type veth\n{ a }", R"(
t.nb:2:1: error: a statement cannot begin with '{'
    2 | { a }
      | ^
   '{' belongs on the line of what it opens: for, netns, transaction, or a command's word
)"},
    {"link add v1 type veth peer {\n{ name eth0 } }", R"(
t.nb:2:1: error: expected a word before '{' on the same line
    2 | { name eth0 } }
      | ^
   a block holds the options of the word before it, as in: type veth peer { name eth0 }
)"},
    {"link add v1 { a } { b }", R"(
t.nb:1:19: error: expected a word before '{' on the same line
    1 | link add v1 { a } { b }
      |                   ^
   a block holds the options of the word before it, as in: type veth peer { name eth0 }
)"},
    {"netns c1 { link set lo up } link set v0 up", R"(
t.nb:1:29: error: expected a new line or ';' after '}', found 'link'
    1 | netns c1 { link set lo up } link set v0 up
      |                             ^~~~
)"},
    {"let 2n = 5", R"(
t.nb:1:5: error: expected a name after 'let', found '2n'
    1 | let 2n = 5
      |     ^~
   as in: let n = 1000
)"},
    {"let", R"(
t.nb:1:4: error: expected a name after 'let', found the end of the file
    1 | let
      |    ^
   as in: let n = 1000
)"},
    {"let n 5", R"(
t.nb:1:7: error: expected '=' after the name, found '5'
    1 | let n 5
      |       ^
   as in: let n = 1000
)"},
    {"let n =", R"(
t.nb:1:8: error: expected a value after '=', found the end of the file
    1 | let n =
      |        ^
   as in: let n = 1000, or: let host = "web"
)"},
    {"let n = # five", R"(
t.nb:1:9: error: expected a value after '=', found '#'
    1 | let n = # five
      |         ^
   as in: let n = 1000, or: let host = "web"
)"},
    {"let n = *", R"(
t.nb:1:9: error: expected a number, a name, or '(', found '*'
    1 | let n = *
      |         ^
)"},
    {"let host = br0.100", R"(
t.nb:1:15: error: expected the end of the statement after the value, found '.'
    1 | let host = br0.100
      |               ^
   a text has to be in quotes: let host = "web-1"
)"},
    {"for $i in 1..10 { }", R"(
t.nb:1:5: error: expected the name of the loop variable after 'for', found '$i'
    1 | for $i in 1..10 { }
      |     ^~
   it is written without '$', as in: for i in 1..10 { ... }
)"},
    {"for i = 1..10 { }", R"(
t.nb:1:7: error: expected 'in' after the loop variable, found '='
    1 | for i = 1..10 { }
      |       ^
   as in: for i in 1..10 { ... }, or: for h in web db { ... }
)"},
    {"for i in { }", R"(
t.nb:1:10: error: expected a range or words after 'in', found '{'
    1 | for i in { }
      |          ^
   as in: for i in 1..10 { ... }, or: for h in web db { ... }
)"},
    {"for i in 10.0.0.1..10.0.0.9 { }", R"(
t.nb:1:12: error: expected '..' after the first value of the range, found '.'
    1 | for i in 10.0.0.1..10.0.0.9 { }
      |            ^
   if this is a list of words, put the word that has '..' in it in quotes
)"},
    {"for i in 1.. { }", R"(
t.nb:1:14: error: expected a number, a name, or '(', found '{'
    1 | for i in 1.. { }
      |              ^
)"},
    {"for h in web db\n{ }", R"(
t.nb:1:16: error: expected '{' to begin the body of the loop, found the end of the line
    1 | for h in web db
      |                ^
   it has to be on this line
)"},
    {"netns { link set lo up }", R"(
t.nb:1:7: error: expected the name of a namespace between 'netns' and '{'
    1 | netns { link set lo up }
      |       ^
)"},
    {"include", R"(
t.nb:1:8: error: expected the path of a file after 'include', found the end of the file
    1 | include
      |        ^
   as in: include "more.nb"
)"},
    {"include my file.nb", R"(
t.nb:1:12: error: expected the end of the statement after the path, found 'file.nb'
    1 | include my file.nb
      |            ^~~~~~~
   a path with blanks in it has to be in quotes
)"},
    {"transaction all { }", R"(
t.nb:1:13: error: expected '{' after 'transaction', found 'all'
    1 | transaction all { }
      |             ^~~
   it has to be on this line
)"},
    {"link set v${} up", R"(
t.nb:1:13: error: expected a number, a name, or '(', found '}'
    1 | link set v${} up
      |             ^
)"},
    {"link set v${n + } up", R"(
t.nb:1:17: error: expected a number, a name, or '(', found '}'
    1 | link set v${n + } up
      |                 ^
)"},
    {"${(1 + 2 3)}", R"(
t.nb:1:10: error: expected an operator or ')', found '3'
    1 | ${(1 + 2 3)}
      |          ^
)"},
    {"link set v${n up", R"(
t.nb:1:15: error: expected an operator, ':' and a format, or '}', found 'up'
    1 | link set v${n up
      |               ^~
   an expression ends with '}', as in: ${n + 1}, ${n:04x}
)"},
    {"${n:04x", R"(
t.nb:1:8: error: expected an operator, ':' and a format, or '}', found the end of the file
    1 | ${n:04x
      |        ^
   an expression ends with '}', as in: ${n + 1}, ${n:04x}
)"},
    {"${mac(1, )}", R"(
t.nb:1:10: error: expected an argument: an expression or a text in double quotes, found ')'
    1 | ${mac(1, )}
      |          ^
)"},
    {"${mac(1 2)}", R"(
t.nb:1:9: error: expected ',' or ')' after the argument, found '2'
    1 | ${mac(1 2)}
      |         ^
)"},
    {"${mac(\"02:00, 1)}", R"(
t.nb:1:7: error: unterminated text: it has to be closed on this line
    1 | ${mac("02:00, 1)}
      |       ^
)"},
    {"${addr(\"10.0.$n.0\", 1)}", R"(
t.nb:1:14: error: a text inside an expression takes '$' neither as a variable nor as itself
    1 | ${addr("10.0.$n.0", 1)}
      |              ^
   give the variable as a number: addr("10.0.0.0", n)
)"},
    {"let n = 12x", R"(
t.nb:1:9: error: expected a number, found '12x'
    1 | let n = 12x
      |         ^~~
   numbers are decimal, or hexadecimal after 0x; a name does not begin with a digit
)"},
    {"${0xfg}", R"(
t.nb:1:3: error: expected a number, found '0xfg'
    1 | ${0xfg}
      |   ^~~~
   numbers are decimal, or hexadecimal after 0x; a name does not begin with a digit
)"},
    {"let n = 9223372036854775808", R"(
t.nb:1:9: error: this number does not fit into 64 bits
    1 | let n = 9223372036854775808
      |         ^~~~~~~~~~~~~~~~~~~
   the largest is 9223372036854775807
)"},
    {"let n = 0x8000000000000000", R"(
t.nb:1:9: error: this number does not fit into 64 bits
    1 | let n = 0x8000000000000000
      |         ^~~~~~~~~~~~~~~~~~
   the largest is 9223372036854775807
)"},
    {"#line 12 gen.py\n", R"(
t.nb:1:7: error: expected '#line NUMBER' or '#line NUMBER "FILE"'
    1 | #line 12 gen.py
      |       ^
   put a blank after '#' if this is only a comment
)"},
    {"#line 0 \"gen.py\"\n", R"(
t.nb:1:7: error: a line number is between 1 and 2147483647
    1 | #line 0 "gen.py"
      |       ^
)"},
    {"#line 99999999999\n", R"(
t.nb:1:7: error: a line number is between 1 and 2147483647
    1 | #line 99999999999
      |       ^~~~~~~~~~~
)"},
};
// clang-format on

std::string repeated(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

struct Limit {
  std::string within;
  std::string beyond;
  std::string_view expected;  // the first line
};

const Limit kLimits[] = {
    {repeated("netns c {", 64) + repeated("}", 64), repeated("netns c {", 65),
     "t.nb:1:585: error: blocks are nested more than 64 deep"},
    {repeated("a {", 64) + repeated("}", 64), repeated("a {", 65),
     "t.nb:1:195: error: blocks are nested more than 64 deep"},
    {"${" + repeated("(", 64) + "1" + repeated(")", 64) + "}", "${" + repeated("(", 65),
     "t.nb:1:67: error: an expression is nested more than 64 deep"},
    {"${" + repeated("-", 64) + "1}", "${" + repeated("-", 100000),
     "t.nb:1:67: error: an expression is nested more than 64 deep"},
    {"${1" + repeated("+1", 32767) + "}", "${1" + repeated("+1", 32768) + "}",
     "t.nb:1:1: error: an expression has more than 65535 operands and operators"},
    {"${f(1" + repeated(",1", 254) + ")}", "${f(1" + repeated(",1", 255) + ")}",
     "t.nb:1:515: error: a function has more than 255 arguments"},
    {repeated("$a", 65535), repeated("$a", 65536), "t.nb:1:131071: error: this word has more than 65535 parts"},
};

std::string shown(std::string text, Span span, std::vector<Note> notes = {}) {
  Sources sources;
  Sources::File file = 0;
  REQUIRE(sources.add("t.nb", std::move(text), &file));
  return render({.span = span, .message = "m", .notes = std::move(notes)}, sources);
}

}  // namespace

TEST_CASE("each syntax error has its text") {
  for (const Golden& golden : kGolden) CHECK('\n' + error_of(golden.script) == golden.expected);
}

TEST_CASE("each limit has its text, and holds exactly") {
  for (const Limit& limit : kLimits) {
    CHECK(error_of(limit.within) == "accepted");
    const std::string error = error_of(limit.beyond);
    CHECK(error.substr(0, error.find('\n')) == limit.expected);
  }
}

TEST_CASE("no message is without a test") {
  const auto check = [](const Message& message) {
    const auto says = [&](const auto& row) { return row.expected.find(message.text) != std::string_view::npos; };
    const bool tested = std::any_of(std::begin(kGolden), std::end(kGolden), says) ||
                        std::any_of(std::begin(kLimits), std::end(kLimits), says);
    CHECK_MESSAGE(tested, message.text);
  };
  std::apply([&](const auto&... row) { (check(row.message), ...); }, rules::messages);
}

TEST_CASE("the caret stands under the span") {
  CHECK(shown("link set v7", {9, 11}) == "t.nb:1:10: error: m\n    1 | link set v7\n      |          ^~\n");
  CHECK(shown("\tup\t!", {4, 5}) == "t.nb:1:5: error: m\n    1 | \tup\t!\n      | \t  \t^\n");
  CHECK(shown("a\nbc\nd", {2, 6}) == "t.nb:2:1: error: m\n    2 | bc\n      | ^~\n");
  CHECK(shown("ab", {1, 1}) == "t.nb:1:2: error: m\n    1 | ab\n      |  ^\n");
}

TEST_CASE("the end of the file and empty lines have a caret") {
  CHECK(shown("", {0, 0}) == "t.nb:1:1: error: m\n    1 |\n      | ^\n");
  CHECK(shown("a\n", {2, 2}) == "t.nb:2:1: error: m\n    2 |\n      | ^\n");
  CHECK(shown("a\n\nb", {2, 3}) == "t.nb:2:1: error: m\n    2 |\n      | ^\n");
  CHECK(shown("ab", {2, 2}) == "t.nb:1:3: error: m\n    1 | ab\n      |   ^\n");
  CHECK(shown("ab\r\n", {2, 3}) == "t.nb:1:3: error: m\n    1 | ab\n      |   ^\n");
}

TEST_CASE("columns are code points, and bytes that steer a terminal are not shown") {
  CHECK(shown("caf\xc3\xa9 \xe2\x82\xac\xf0\x9f\x90\xa7 x", {14, 15}) ==
        "t.nb:1:15: error: m\n    1 | caf\xc3\xa9 \xe2\x82\xac\xf0\x9f\x90\xa7 x\n      |         ^\n");
  CHECK(shown("\x1b[1m\x7f\x01 \xff\xc3 \xc2\x9b\xe2\x80\xae\xc0\xaf\xed\xa0\x80 x", {21, 22}) ==
        "t.nb:1:22: error: m\n    1 | ?[1m?? ?? ??????? x\n      |                   ^\n");
  CHECK(shown("\xc3\xa9", {1, 2}) == "t.nb:1:2: error: m\n    1 | \xc3\xa9\n      | ^\n");
  CHECK(shown("a", {0, 1}, {{"kernel: \x1b[2J\n", {}}}) ==
        "t.nb:1:1: error: m\n    1 | a\n      | ^\n   kernel: ?[2J?\n");
}

TEST_CASE("long lines are clipped around the caret") {
  const std::string a60 = repeated("a", 60);
  const std::string b100 = repeated("b", 100);
  CHECK(shown(b100, {99, 100}) == "t.nb:1:100: error: m\n    1 | " + b100 + "\n      | " + repeated(" ", 99) + "^\n");
  CHECK(shown(b100 + b100, {0, 200}) ==
        "t.nb:1:1: error: m\n    1 | " + b100 + "...\n      | ^" + repeated("~", 99) + "\n");
  CHECK(shown(b100 + a60 + "XY" + b100, {160, 162}) == "t.nb:1:161: error: m\n    1 | ..." + a60 + "XY" +
                                                           b100.substr(0, 38) + "...\n      | " + repeated(" ", 63) +
                                                           "^~\n");
  CHECK(shown(b100 + a60, {160, 160}) ==
        "t.nb:1:161: error: m\n    1 | ..." + a60 + "\n      | " + repeated(" ", 63) + "^\n");
}

TEST_CASE("notes come after, with their own source line if they have a place") {
  CHECK(shown("let n = 1\nlet n = 2\n", {14, 15}, {{"the first one", Span{4, 5}}, {"rename one of them", {}}}) ==
        R"(t.nb:2:5: error: m
    2 | let n = 2
      |     ^
t.nb:1:5: note: the first one
    1 | let n = 1
      |     ^
   rename one of them
)");
}

TEST_CASE("large line numbers widen the gutter, and a warning says so") {
  Sources sources;
  Sources::File file = 0;
  REQUIRE(sources.add("t.nb", "#line 1234567 \"gen.py\"\nx", &file));
  Script script;
  REQUIRE_FALSE(parse(sources, file, script));
  CHECK(render({.severity = Diagnostic::Severity::Warning, .span = script.words[0].span, .message = "m"}, sources) ==
        "gen.py:1234567:1: warning: m\n1234567 | x\n        | ^\n");
}
