// The text of a script and where each byte of it stands.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace netbatch::grammar {

// A range of bytes [begin, end) in the offset space of a Sources. Every object that comes from a script keeps one.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  friend bool operator==(Span, Span) = default;
};

struct Position {
  std::string_view file;    // as the user named it, or as a `#line` directive did
  uint32_t line = 0;        // from 1
  uint32_t column = 0;      // from 1, in bytes
  std::string_view text;    // the whole physical line, without its newline
  uint32_t text_begin = 0;  // offset of the first byte of `text`
};

// Owns all text of one run: the script, and later the files that it includes. Files share one 32-bit offset space,
// so that a Span alone says which file it belongs to. Views stay valid for the life of the Sources.
class Sources {
 public:
  using File = uint32_t;

  // Adds a file and returns its id. Fails (returns false) when the offset space, 4 GiB, is used up.
  bool add(std::string name, std::string text, File* file);

  std::string_view name(File file) const { return files_[file].name; }
  std::string_view text(File file) const { return files_[file].text; }
  uint32_t base(File file) const { return files_[file].base; }
  std::string_view text(Span span) const;
  File file_of(uint32_t offset) const;

  // From the physical line after the one that holds `offset`, positions are reported as line `line` of `name`
  // (the directive `#line 12 "generator.py"`). Calls come in ascending order of offset within a file.
  void map_line(uint32_t offset, uint32_t line, std::string name);

  Position locate(uint32_t offset) const;

 private:
  struct Mapping {
    uint32_t physical_line;  // first line that it holds for
    uint32_t line;
    std::string name;
  };
  struct FileText {
    std::string name;
    std::string text;
    uint32_t base;
    std::deque<Mapping> mappings;               // a deque, so that views of a name outlive later directives
    mutable std::vector<uint32_t> line_starts;  // relative to `base`; made at the first locate() or map_line()
  };
  static uint32_t physical_line(const FileText& file, uint32_t offset);

  std::deque<FileText> files_;  // a deque, because moving a short string would invalidate views of it
};

}  // namespace netbatch::grammar
