// One record for everything that is said about a place in a script, and its one renderer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grammar/source.hpp"

namespace netbatch::grammar {

struct Note {
  std::string text;
  std::optional<Span> span;  // with a span: shown with its own source line
};

struct Diagnostic {
  enum class Severity { Error, Warning };
  Severity severity = Severity::Error;
  Span span;
  std::string message;
  std::vector<Note> notes{};
};

// The text people see, ending in a newline:
//
//     topology.nb:12:24: error: no link named 'br1' in namespace 'lab'
//        12 |     link set v7 master br1 up
//           |                        ^~~
//        kernel: No such device (ENODEV)
//
// Long lines are clipped around the caret; tabs and bytes that are not printable keep the caret in its place.
std::string render(const Diagnostic& diagnostic, const Sources& sources);

}  // namespace netbatch::grammar
