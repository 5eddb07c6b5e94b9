#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cerrno>
#include <map>

#include "interpreter/expand.hpp"
#include "interpreter/scripts.hpp"
#include "tests/support/expansion.hpp"

using netbatch::FileId;
using netbatch::test::expand;

namespace {

std::map<std::string, std::string>& files() {
  static std::map<std::string, std::string> files;
  return files;
}
int reads = 0;

// Paths that differ in `./` only are one file.
int read(const std::string& path, std::string& text, FileId& id) {
  ++reads;
  const auto file = files().find(path.starts_with("./") ? path.substr(2) : path);
  if (file == files().end()) return ENOENT;
  text = file->second;
  id = {1, static_cast<uint64_t>(std::distance(files().begin(), file))};
  return 0;
}

std::string expand_files(const std::map<std::string, std::string>& all, const std::string& main = "main.nb",
                         std::vector<netbatch::Definition> definitions = {}) {
  files() = all;
  reads = 0;
  return netbatch::test::expand_file(main, read, std::move(definitions));
}

}  // namespace

TEST_CASE("include: the file's statements stand in its place") {
  CHECK(expand_files({{"main.nb", "say a\ninclude \"b.nb\"\nsay c\n"}, {"b.nb", "say b\n"}}) ==
        "say a\nsay b\nsay c\n");
  CHECK(expand_files({{"main.nb", "netns lab { include b.nb; say c }\n"}, {"b.nb", "say b\n"}}) ==
        "[lab] say b\n[lab] say c\n");
  CHECK(expand_files({{"main.nb", "include b.nb\nsay end\n"}, {"b.nb", ""}}) == "say end\n");
}

TEST_CASE("include: variables are those of the place") {
  CHECK(expand_files({{"main.nb", "let a = 1\ninclude b.nb\nsay $a $b\n"}, {"b.nb", "let b = ${a + 1}\n"}}) ==
        "say 1 2\n");
  CHECK(expand_files({{"main.nb", "for i in 1..2 { include b.nb\n say $i $b }\n"}, {"b.nb", "let b = ${i * 10}\n"}}) ==
        "say 1 10\nsay 2 20\n");
  CHECK(expand_files({{"main.nb", "include b.nb\nsay $b\n"}, {"b.nb", "let b = 1\n"}}, "main.nb", {{"b", "7"}}) ==
        "say 7\n");
}

TEST_CASE("include: paths are relative to the file that they stand in") {
  CHECK(expand_files({{"dir/main.nb", "include \"sub/b.nb\"\n"},
                      {"dir/sub/b.nb", "include c.nb\ninclude /abs.nb\n"},
                      {"dir/sub/c.nb", "say c\n"},
                      {"/abs.nb", "say abs\n"}},
                     "dir/main.nb") == "say c\nsay abs\n");
}

TEST_CASE("include: a file is read once, whatever it is called") {
  CHECK(expand_files({{"main.nb", "for i in 1..3 { include b.nb\n include ./b.nb }\n"}, {"b.nb", "say $i\n"}}) ==
        "say 1\nsay 1\nsay 2\nsay 2\nsay 3\nsay 3\n");
  CHECK(reads == 3);
  CHECK(expand_files({{"main.nb", "for i in 1..2 { include b$i.nb }\n"}, {"b1.nb", "say 1\n"}, {"b2.nb", "say 2\n"}}) ==
        "say 1\nsay 2\n");
}

TEST_CASE("include: a file that is not there") {
  CHECK(expand_files({{"dir/main.nb", "for i in 1..1 {\n  include \"more.nb\"\n}\nsay on\n"}}, "dir/main.nb") ==
        "dir/main.nb:2:12: error: cannot read 'dir/more.nb': No such file or directory\n"
        "    2 |   include \"more.nb\"\n"
        "      |            ^~~~~~~\n"
        "   in the loop at dir/main.nb:1 with i = 1\n"
        "say on\n");
  // It may have declared what follows uses.
  CHECK(expand_files({{"main.nb", "include more.nb\nsay $n\nsay on\n"}}) ==
        "main.nb:1:9: error: cannot read 'more.nb': No such file or directory\n"
        "    1 | include more.nb\n"
        "      |         ^~~~~~~\n"
        "say on\n");
}

TEST_CASE("include: errors show the way to them") {
  CHECK(expand_files({{"main.nb", "say a\nfor i in 5..5 {\n  include b.nb\n}\n"},
                      {"b.nb", "\n\n\ninclude c.nb\n"},
                      {"c.nb", "for k in x { say $j }\n"}}) ==
        "say a\n"
        "c.nb:1:19: error: no variable named 'j'\n"
        "    1 | for k in x { say $j }\n"
        "      |                   ^\n"
        "   in the loop at c.nb:1 with k = x\n"
        "   included from b.nb:4\n"
        "   included from main.nb:3\n"
        "   in the loop at main.nb:2 with i = 5\n");
  CHECK(expand_files({{"main.nb", "include b.nb\nsay on\n"}, {"b.nb", "include c.nb\n"}, {"c.nb", "say }\n"}}) ==
        "c.nb:1:5: error: '}' without a '{' before it\n"
        "    1 | say }\n"
        "      |     ^\n"
        "   included from b.nb:1\n"
        "   included from main.nb:1\n"
        "say on\n");
}

TEST_CASE("include: no file includes itself") {
  CHECK(expand_files({{"main.nb", "include main.nb\n"}}) ==
        "main.nb:1:9: error: 'main.nb' would include itself without end\n"
        "    1 | include main.nb\n"
        "      |         ^~~~~~~\n");
  CHECK(expand_files(
            {{"main.nb", "say a\ninclude b.nb\n"}, {"b.nb", "include c.nb\n"}, {"c.nb", "\ninclude ./b.nb\n"}}) ==
        "say a\n"
        "c.nb:2:9: error: 'b.nb' would include itself without end\n"
        "    2 | include ./b.nb\n"
        "      |         ^~~~~~\n"
        "   included from b.nb:1\n"
        "   included from main.nb:2\n");
}

TEST_CASE("include: there is a limit to the depth") {
  std::map<std::string, std::string> chain{{"f64.nb", "say end\n"}};
  for (int i = 0; i < 64; ++i) chain[fmt::format("f{}.nb", i)] = fmt::format("include f{}.nb\n", i + 1);
  const std::string text = expand_files(chain, "f0.nb");
  CHECK(
      text.starts_with("f63.nb:1:9: error: files include each other more than 64 deep\n"
                       "    1 | include f64.nb\n"
                       "      |         ^~~~~~\n"
                       "   included from f62.nb:1\n"));
  CHECK(expand_files(chain, "f1.nb") == "say end\n");
}

TEST_CASE("transaction: what is in it has its number") {
  CHECK(expand("say a\nfor i in 1..2 {\n  transaction { say b\n netns lab { say c } }\n}\nsay d\n") ==
        "say a\n(1) say b\n(1) [lab] say c\n(2) say b\n(2) [lab] say c\nsay d\n");
}

TEST_CASE("transaction: they do not nest") {
  CHECK(expand("transaction {\n  for i in 1..1 { transaction { say a } }\n}\nsay b\n") ==
        "test.nb:2:19: error: a transaction inside a transaction\n"
        "    2 |   for i in 1..1 { transaction { say a } }\n"
        "      |                   ^~~~~~~~~~~\n"
        "   the outer one holds for what is in it already: leave the inner one out\n"
        "   in the loop at test.nb:2 with i = 1\n"
        "say b\n");
}

TEST_CASE("expand: a slip of the pen in a range is found soon") {
  CHECK(expand("for i in 1..9223372036854775807 {\n}\nsay on\n") ==
        "test.nb:1:1: error: the loops and includes of this script make too many statements\n"
        "    1 | for i in 1..9223372036854775807 {\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "   at most 10000000 rounds and statements are possible in all\n");
  CHECK(expand("for i in -9223372036854775807-1..9223372036854775807 {\n}\n").find("too many statements") !=
        std::string::npos);
}

TEST_CASE("expand: the rounds and statements of all loops are counted") {
  netbatch::grammar::Sources sources;
  netbatch::Scripts scripts(sources);
  std::optional<netbatch::Diagnostic> syntax;
  REQUIRE(scripts.load("test.nb", "for i in 1..3 {\n  for k in a b c { say $k }\n}\nsay end\n", syntax) == 0);
  netbatch::Namespaces namespaces;
  netbatch::Expander expander(scripts, {}, namespaces, 10);
  netbatch::Arena arena;
  netbatch::Command command;
  netbatch::Diagnostic error;
  for (int i = 0; i < 3; ++i) CHECK(expander.next(arena, command, error) == netbatch::Expander::Step::Command);
  REQUIRE(expander.next(arena, command, error) == netbatch::Expander::Step::Error);
  CHECK(netbatch::grammar::render(error, sources) ==
        "test.nb:2:3: error: the loops and includes of this script make too many statements\n"
        "    2 |   for k in a b c { say $k }\n"
        "      |   ^~~~~~~~~~~~~~\n"
        "   at most 10 rounds and statements are possible in all\n");
  CHECK(expander.next(arena, command, error) == netbatch::Expander::Step::End);
}
