// What `ensure` and `absent` find different from what the script says, for `plan`: attribute by attribute.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grammar/source.hpp"
#include "interpreter/operation.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

class PresentLink;

enum class Effect : uint8_t { Nothing, Make, Change, Delete, Refuse };
std::string_view word_of(Effect effect);

struct Change {
  std::string link{};                // the veth's peer that it is about; empty: the operation's own object
  std::string option{};              // empty: `old` and `fresh` say it all (down → up)
  std::optional<std::string> old{};  // empty: none
  std::optional<std::string> fresh{};
  bool is_known = true;  // what it is now: a value without words, or one that the script itself changes before, is not
};

struct Difference {
  Operation operation;  // as the script has it
  Effect effect = Effect::Nothing;
  std::vector<Change> changes;
};

using NameOf = std::function<std::string(int index)>;

Change link_change(const Attr& attr, const Kind* kind, const PresentLink& link, const NameOf& name_of,
                   const Namespaces& namespaces);
// The options of an address, route or neighbour that the kernel's `message` does not have so.
std::vector<Change> family_changes(const Operation& op, std::span<const Attr> attrs, const Message& message,
                                   const NameOf& name_of, const Namespaces& namespaces);

// A line for each; empty where there are none. `owner` has the operations' attributes.
std::string to_string(std::span<const Difference> differences, const Operations& owner, const Namespaces& namespaces,
                      const grammar::Sources& sources);

}  // namespace netbatch
