#include "grammar/source.hpp"

#include <doctest/doctest.h>

using netbatch::grammar::Position;
using netbatch::grammar::Sources;
using netbatch::grammar::Span;

namespace {

struct Place {
  std::string_view file;
  uint32_t line;
  uint32_t column;
  std::string_view text;
  friend bool operator==(const Place&, const Place&) = default;
};

Place place(const Sources& sources, uint32_t offset) {
  const Position position = sources.locate(offset);
  CHECK(position.text_begin + position.column - 1 == offset);
  return {position.file, position.line, position.column, position.text};
}

Sources::File add(Sources& sources, std::string name, std::string text) {
  Sources::File file = 0;
  REQUIRE(sources.add(std::move(name), std::move(text), &file));
  return file;
}

}  // namespace

TEST_CASE("an offset is a line and a column") {
  Sources sources;
  add(sources, "a.nb", "one\n\tthree\n\n4");
  CHECK(place(sources, 0) == Place{"a.nb", 1, 1, "one"});
  CHECK(place(sources, 3) == Place{"a.nb", 1, 4, "one"});
  CHECK(place(sources, 5) == Place{"a.nb", 2, 2, "\tthree"});
  CHECK(place(sources, 11) == Place{"a.nb", 3, 1, ""});
  CHECK(place(sources, 12) == Place{"a.nb", 4, 1, "4"});
  CHECK(place(sources, 13) == Place{"a.nb", 4, 2, "4"});
}

TEST_CASE("the end of a file is a place, also after a newline and in an empty file") {
  Sources sources;
  const auto a = add(sources, "a.nb", "x\n");
  const auto b = add(sources, "b.nb", "");
  const auto c = add(sources, "c.nb", "y");
  CHECK(place(sources, sources.base(a) + 2) == Place{"a.nb", 2, 1, ""});
  CHECK(place(sources, sources.base(b)) == Place{"b.nb", 1, 1, ""});
  CHECK(place(sources, sources.base(c) + 1) == Place{"c.nb", 1, 2, "y"});
  CHECK(sources.file_of(sources.base(b)) == b);
}

TEST_CASE("a span says which file it is from") {
  Sources sources;
  add(sources, "a.nb", "link set");
  const auto b = add(sources, "b.nb", "netns add");
  const uint32_t base = sources.base(b);
  CHECK(sources.text(Span{5, 8}) == "set");
  CHECK(sources.text(Span{base + 6, base + 9}) == "add");
  CHECK(sources.text(Span{base + 9, base + 9}).empty());
}

TEST_CASE("views stay valid when more files and names come") {
  Sources sources;
  add(sources, "a", "x");
  const std::string_view name = sources.name(0);
  const std::string_view text = sources.text(Sources::File{0});
  sources.map_line(0, 7, "g");
  const std::string_view mapped = sources.locate(1).file;
  for (int i = 0; i < 1000; ++i) {
    add(sources, "b", "y");
    sources.map_line(0, 7, "h");
  }
  CHECK(name == "a");
  CHECK(text == "x");
  CHECK(mapped == "a");
  CHECK(sources.name(0).data() == name.data());
  CHECK(sources.text(Sources::File{0}).data() == text.data());
}

TEST_CASE("map_line holds from the next line on") {
  Sources sources;
  add(sources, "a.nb", "0\n1\n2\n3\n4\n5\n");
  sources.map_line(2, 100, "gen.py");
  sources.map_line(8, 7, "b.py");
  CHECK(place(sources, 0) == Place{"a.nb", 1, 1, "0"});
  CHECK(place(sources, 2) == Place{"a.nb", 2, 1, "1"});
  CHECK(place(sources, 4) == Place{"gen.py", 100, 1, "2"});
  CHECK(place(sources, 6) == Place{"gen.py", 101, 1, "3"});
  CHECK(place(sources, 8) == Place{"gen.py", 102, 1, "4"});
  CHECK(place(sources, 10) == Place{"b.py", 7, 1, "5"});
  CHECK(place(sources, 12) == Place{"b.py", 8, 1, ""});
}
