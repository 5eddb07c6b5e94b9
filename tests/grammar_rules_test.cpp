// What the grammar accepts, and the exact AST that comes of it.
#include <doctest/doctest.h>

#include <string>

#include "grammar/parser.hpp"

using namespace netbatch::grammar;

namespace {

struct Parsed {
  Sources sources;
  Script script;
  std::string error;
};

Parsed parse_text(std::string text) {
  Parsed parsed;
  Sources::File file = 0;
  REQUIRE(parsed.sources.add("t.nb", std::move(text), &file));
  if (const auto diagnostic = parse(parsed.sources, file, parsed.script))
    parsed.error = render(*diagnostic, parsed.sources);
  return parsed;
}

// Source text on one line: newlines are shown as `~`.
std::string shown(const Parsed& parsed, Span span) {
  std::string text(parsed.sources.text(span));
  for (char& c : text)
    if (c == '\n') c = '~';
  return text;
}

// One postfix step: 1, "text", name, neg, +, mac/2.
std::string dump(const Parsed& parsed, const Token& token) {
  const std::string text = shown(parsed, token.span);
  switch (token.kind) {
    case TokenKind::Number:
      return std::to_string(token.number);
    case TokenKind::Text:
      return '"' + text + '"';
    case TokenKind::Negate:
      return "neg";
    case TokenKind::Call:
      return text + '/' + std::to_string(token.arguments);
    default:
      return text;
  }
}

// Parts of a template as in `<c|(i)|(n 1 +):04x>`.
std::string dump_parts(const Parsed& parsed, const Word& word) {
  std::string out = "<";
  for (uint32_t i = 0; i < word.part_count; ++i) {
    const Part& part = parsed.script.parts[word.first_part + i];
    if (i > 0) out += '|';
    if (part.token_count == 0) out += shown(parsed, part.span);
    for (uint32_t t = 0; t < part.token_count; ++t)
      out += (t == 0 ? '(' : ' ') + dump(parsed, parsed.script.tokens[part.first_token + t]);
    if (part.token_count > 0) out += ')';
    if (part.format.begin != part.format.end) out += ':' + shown(parsed, part.format);
  }
  return out + '>';
}

std::string dump(const Parsed& parsed, const Word& word) {
  std::string out;
  switch (word.kind) {
    case WordKind::Plain:
      out = shown(parsed, word.span);
      break;
    case WordKind::Spliced:
      out = "splice:" + shown(parsed, word.span);
      break;
    case WordKind::Template:
      out = dump_parts(parsed, word);
      break;
    case WordKind::Open:
      out = "{";
      break;
    case WordKind::Close:
      out = "}";
      break;
    case WordKind::Line:
      out = "/";
      break;
  }
  return word.quoted ? '"' + out + '"' : out;
}

void dump(const Parsed& parsed, uint32_t first, uint32_t end, const std::string& indent, std::string* out) {
  static constexpr const char* kKinds[] = {"command", "let", "range", "list", "netns", "include", "transaction"};
  for (uint32_t i = first; i < end; i = parsed.script.statements[i].end) {
    const Statement& statement = parsed.script.statements[i];
    *out += indent + kKinds[static_cast<size_t>(statement.kind)];
    for (uint32_t w = 0; w < statement.word_count; ++w)
      *out += ' ' + dump(parsed, parsed.script.words[statement.first_word + w]);
    *out += '\n';
    dump(parsed, i + 1, statement.end, indent + "  ", out);
  }
}

std::string ast(std::string text) {
  const Parsed parsed = parse_text(std::move(text));
  if (!parsed.error.empty()) return parsed.error;
  std::string out;
  dump(parsed, 0, static_cast<uint32_t>(parsed.script.statements.size()), "", &out);
  return out;
}

// The span of each statement.
std::string statement_spans(std::string text) {
  const Parsed parsed = parse_text(std::move(text));
  std::string out = parsed.error;
  for (const Statement& statement : parsed.script.statements) out += '[' + shown(parsed, statement.span) + ']';
  return out;
}

bool accepts(std::string text) { return parse_text(std::move(text)).error.empty(); }

}  // namespace

TEST_CASE("statements end at newlines and semicolons") {
  CHECK(ast("") == "");
  CHECK(ast("\n \t\r\n;;\n# nothing\n#") == "");
  CHECK(ast("link add v0") == "command link add v0\n");
  CHECK(ast("link  add\tv0 \r\n\r\naddr add;route add;") ==
        "command link add v0\ncommand addr add\ncommand route add\n");
  CHECK(ast("\xef\xbb\xbflink\n") == "command link\n");
  CHECK(ast("#!/usr/bin/env -S netbatch run\nlink\n") == "command link\n");
  CHECK(statement_spans("  link add 'v 0' # x\n\"a\" b; c ") == "[link add 'v 0'][\"a\" b][c]");
}

TEST_CASE("a comment begins at the start of a word only") {
  CHECK(ast("link set v0 up # comment ; more { } $ ' \\\nnext") == "command link set v0 up\ncommand next\n");
  CHECK(ast("a b#c '#d' # e") == "command a b#c \"#d\"\n");
  CHECK(ast("a;#b\nc") == "command a\ncommand c\n");
  CHECK(ast("a \\\n# b \\\nc") == "command a\ncommand c\n");
}

TEST_CASE("a backslash before a newline joins with nothing in between") {
  CHECK(ast("link \\\n set v0 \\\r\nup") == "command link set v0 up\n");
  CHECK(ast("li\\\nnk a\\\n b\\\n\\\nc") == "command splice:li\\~nk a splice:b\\~\\~c\n");
  CHECK(ast("'a\\\nb' \"c\\\nd\" \"\\\n\" 'e'\\\n f") ==
        "command \"splice:a\\~b\" \"splice:c\\~d\" \"splice:\\~\" \"e\" f\n");
  CHECK(ast("a\\b \\c d\\ e") == "command a\\b \\c d\\ e\n");
  CHECK(ast("\\\n\\\nlink") == "command link\n");
  CHECK(ast("a\\\n$n\\\nb\\\n c") == "command <a|(n)|b> c\n");
}

TEST_CASE("quotes open at the start of a word only") {
  CHECK(ast("'a b' \"c ; d\" '' \"\" bob's 5\" a\"b\"") == "command \"a b\" \"c ; d\" \"\" \"\" bob's 5\" a\"b\"\n");
  CHECK(ast("'$n {}' '\"' \"'\" 'a\\b'") == "command \"$n {}\" \"\"\" \"'\" \"a\\b\"\n");
  CHECK(ast("a 'b';\"c\"\n'd'\r\n'e'") == "command a \"b\"\ncommand \"c\"\ncommand \"d\"\ncommand \"e\"\n");
  CHECK(ast("alias 'a\tb\x01\xff'") == "command alias \"a\tb\x01\xff\"\n");
  CHECK(ast("a \xff\xfe caf\xc3\xa9") == "command a \xff\xfe caf\xc3\xa9\n");
}

TEST_CASE("words interpolate") {
  CHECK(ast("v$i ${i} x$a.$b/24") == "command <v|(i)> <(i)> <x|(a)|.|(b)|/24>\n");
  CHECK(ast("${i:04x} \"c $n:${ n + 1 :03d}\"") == "command <(i):04x> \"<c |(n)|:|(n 1 +):03d>\"\n");
  CHECK(ast("a$$b $$ \"$$$n\" $$n") == "command <a$|b> <$> \"<$|(n)>\" <$|n>\n");
  CHECK(ast("${mac(\"02:00\", i)} \"${mac(\"02:00\", i)}\"") ==
        "command <(\"02:00\" i mac/2)> \"<(\"02:00\" i mac/2)>\"\n");
  CHECK(ast("$a_1b-c") == "command <(a_1b)|-c>\n");
}

TEST_CASE("expressions come in postfix order") {
  CHECK(ast("${1+2*3}") == "command <(1 2 3 * +)>\n");
  CHECK(ast("${(1+2)*3}") == "command <(1 2 + 3 *)>\n");
  CHECK(ast("${8/4/2%3-1-2}") == "command <(8 4 / 2 / 3 % 1 - 2 -)>\n");
  CHECK(ast("${- - n * -2}") == "command <(n neg neg 2 neg *)>\n");
  CHECK(ast("${0x1F} ${010} ${9223372036854775807} ${0x7fffffffffffffff}") ==
        "command <(31)> <(10)> <(9223372036854775807)> <(9223372036854775807)>\n");
  CHECK(ast("${f()} ${f( 1 , \"\" , g(2) + 1 )}") == "command <(f/0)> <(1 \"\" 2 g/1 1 + f/3)>\n");
  CHECK(ast("${$n + ${m}}") == "command <(n m +)>\n");
}

TEST_CASE("let takes an integer expression or a text in quotes") {
  CHECK(ast("let n = 1000 # x\nlet m=2*$n+k;let s = \"a $n\"\nlet q = 'b c'") ==
        "let n <(1000)>\nlet m <(2 n * k +)>\nlet s \"<a |(n)>\"\nlet q \"b c\"\n");
  CHECK(ast("letter x") == "command letter x\n");
  CHECK(ast("'let' x") == "command \"let\" x\n");
  CHECK(statement_spans("let n = 1 + 2 # c\n let s = 'x' ;") == "[let n = 1 + 2][let s = 'x']");
}

TEST_CASE("a loop is over a range") {
  CHECK(ast("for i in 1..$n { a }") == "range i <(1)> <(n)>\n  command a\n");
  CHECK(ast("for i in a..b { }") == "range i <(a)> <(b)>\n");
  CHECK(ast("for i in $a..$b { }") == "range i <(a)> <(b)>\n");
  CHECK(ast("for i in 1..${n + 1} { }") == "range i <(1)> <(n 1 +)>\n");
  CHECK(ast("for i in ${n}..n+1{\n}") == "range i <(n)> <(n 1 +)>\n");
  CHECK(ast("for i in (n - 1) * 2 .. -f(\"x\") { }") == "range i <(n 1 - 2 *)> <(\"x\" f/1 neg)>\n");
}

TEST_CASE("a loop is over words") {
  CHECK(ast("for h in web db 'a b' c$i { a $h\nb\n}\nc") ==
        "list h web db \"a b\" <c|(i)>\n  command a <(h)>\n  command b\ncommand c\n");
  CHECK(ast("for f in ../a b/../c '1..2' a... {}") == "list f ../a b/../c \"1..2\" a...\n");
  CHECK(ast("for i in 1 2 3 {}") == "list i 1 2 3\n");
  CHECK(ast("for h in ${n} -1 {}") == "list h <(n)> -1\n");
}

TEST_CASE("statements nest, and a body follows its head") {
  CHECK(ast("netns c$i { link set lo up }") == "netns <c|(i)>\n  command link set lo up\n");
  CHECK(ast("netns c1 { netns 'c 2' { a }; b } # c\ntransaction {\n\n}\ninclude \"m.nb\"\ninclude m.nb;d") ==
        "netns c1\n  netns \"c 2\"\n    command a\n  command b\ntransaction\ninclude \"m.nb\"\ninclude m.nb\ncommand "
        "d\n");
  CHECK(ast("for i in 1..2 { for j in a b { x } }\ny") ==
        "range i <(1)> <(2)>\n  list j a b\n    command x\ncommand y\n");
  CHECK(ast("transaction{a}") == "transaction\n  command a\n");
  CHECK(statement_spans("for i in 1..2 { a } # c\nnetns 'c' { }\ntransaction { b }") ==
        "[for i in 1..2][a][netns 'c'][transaction][b]");
}

TEST_CASE("netns without a block is a command") {
  CHECK(ast("netns add c1") == "command netns add c1\n");
  CHECK(ast("netns\nnetns list; netns") == "command netns\ncommand netns list\ncommand netns\n");
  CHECK(ast("netns exec c1 ip link set lo up") == "command netns exec c1 ip link set lo up\n");
  CHECK(statement_spans(" netns del 'c' \n") == "[netns del 'c']");
}

TEST_CASE("an attribute block is flat, and its lines end once") {
  CHECK(ast("link add v1 type veth peer { name eth0; netns c1 \n\n # x\n ; up }") ==
        "command link add v1 type veth peer { name eth0 / netns c1 / up }\n");
  CHECK(ast("link add v1 peer{\n  name eth0 # x\n}up\nb") == "command link add v1 peer { name eth0 } up\ncommand b\n");
  CHECK(ast("a b { c { d } e\n f { g\n }\n h } i") == "command a b { c { d } e / f { g } h } i\n");
  CHECK(ast("a b { }") == "command a b { }\n");
  CHECK(ast("a b { $n 'x' \\\n y }") == "command a b { <(n)> \"x\" y }\n");
  CHECK(statement_spans("a b {\n c }\nd") == "[a b {~ c }][d]");
  CHECK(accepts("netns add x { mtu 1 }"));
}

TEST_CASE("#line maps the lines after it") {
  const Parsed parsed = parse_text("a\n#line 12 \"gen.py\"\nb {\n  #line 40\nc\n}\n# line 3\n#lines 9\nd #line 7\ne");
  REQUIRE(parsed.error == "");
  const auto where = [&](size_t word) {
    const Position position = parsed.sources.locate(parsed.script.words[word].span.begin);
    return std::string(position.file) + ':' + std::to_string(position.line);
  };
  CHECK(where(0) == "t.nb:1");
  CHECK(where(1) == "gen.py:12");
  CHECK(where(3) == "gen.py:40");
  CHECK(where(5) == "gen.py:44");
  CHECK(where(6) == "gen.py:45");
  CHECK(parse_text("#line 5 \"x.py\"\n}").error.starts_with("x.py:5:1: error: "));
  CHECK(accepts("#line x\n#line\n#line-up 3\na"));
}

TEST_CASE("spans of a second file are its own") {
  Sources sources;
  Sources::File first = 0;
  Sources::File second = 0;
  REQUIRE(sources.add("a.nb", "link add v0\n", &first));
  REQUIRE(sources.add("b.nb", "addr add $n\n", &second));
  Script script;
  REQUIRE_FALSE(parse(sources, second, script));
  REQUIRE(script.words.size() == 3);
  CHECK(script.file == second);
  CHECK(sources.text(script.words[0].span) == "addr");
  CHECK(sources.text(script.tokens[0].span) == "n");
  CHECK(sources.file_of(script.words[0].span.begin) == second);
}

TEST_CASE("input of any size or depth is answered in bounded time and stack") {
  const size_t size = 4 << 20;
  for (const char* repeated :
       {"a", "a ", "$", "${", "(", "{ ", "a { ", "\"", "'", "\\\n", "a\\\n", "$$", "-", ";", "}", " "}) {
    for (const char* before : {"", "for i in ", "let n = ", "a \"", "${", "netns ", "a {"}) {
      std::string text = before;
      while (text.size() < size / 16) text += repeated;
      CHECK_NOTHROW(ast(text));
    }
  }
  CHECK(ast("a " + std::string(size, 'b')).size() == size + 11);
}
