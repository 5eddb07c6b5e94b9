#include "grammar/source.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace netbatch::grammar {

bool Sources::add(std::string name, std::string text, File* file) {
  // One offset more than there are bytes, so that the end of a file is a place of its own.
  const uint64_t base = files_.empty() ? 0 : uint64_t{files_.back().base} + files_.back().text.size() + 1;
  if (base + text.size() >= std::numeric_limits<uint32_t>::max()) return false;
  *file = static_cast<File>(files_.size());
  files_.push_back({std::move(name), std::move(text), static_cast<uint32_t>(base), {}, {}});
  return true;
}

std::string_view Sources::text(Span span) const {
  const FileText& file = files_[file_of(span.begin)];
  return std::string_view(file.text).substr(span.begin - file.base, span.end - span.begin);
}

Sources::File Sources::file_of(uint32_t offset) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), offset,
                                      [](uint32_t value, const FileText& file) { return value < file.base; });
  return static_cast<File>(after - files_.begin()) - 1;
}

// The index of the line that holds `offset`, from 0.
uint32_t Sources::physical_line(const FileText& file, uint32_t offset) {
  if (file.line_starts.empty()) {
    file.line_starts.push_back(0);
    for (size_t newline = file.text.find('\n'); newline != std::string::npos;
         newline = file.text.find('\n', newline + 1))
      file.line_starts.push_back(static_cast<uint32_t>(newline + 1));
  }
  const auto after = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset - file.base);
  return static_cast<uint32_t>(after - file.line_starts.begin()) - 1;
}

void Sources::map_line(uint32_t offset, uint32_t line, std::string name) {
  FileText& file = files_[file_of(offset)];
  file.mappings.push_back({physical_line(file, offset) + 1, line, std::move(name)});
}

Position Sources::locate(uint32_t offset) const {
  const FileText& file = files_[file_of(offset)];
  const uint32_t physical = physical_line(file, offset);
  const uint32_t begin = file.line_starts[physical];
  const size_t end = std::min(file.text.find('\n', begin), file.text.size());
  Position position{file.name, physical + 1, offset - file.base - begin + 1,
                    std::string_view(file.text).substr(begin, end - begin), file.base + begin};
  const auto after =
      std::upper_bound(file.mappings.begin(), file.mappings.end(), physical,
                       [](uint32_t value, const Mapping& mapping) { return value < mapping.physical_line; });
  if (after != file.mappings.begin()) {
    const Mapping& mapping = *(after - 1);
    position.file = mapping.name;
    position.line = mapping.line + (physical - mapping.physical_line);
  }
  return position;
}

}  // namespace netbatch::grammar
