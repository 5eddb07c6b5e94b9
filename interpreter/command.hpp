// A statement with its variables filled in: plain words, still without a meaning.
#pragma once

#include <span>
#include <string_view>

#include "grammar/source.hpp"

namespace netbatch {

using grammar::Span;

enum class ArgumentKind : uint8_t { Word, Open, Close, Line };

struct Argument {
  std::string_view text;  // lives as long as the Sources or the arena that it was expanded into
  Span span;
  ArgumentKind kind = ArgumentKind::Word;
  bool quoted = false;
};

struct Command {
  Span span;
  std::span<const Argument> arguments;
};

}  // namespace netbatch
