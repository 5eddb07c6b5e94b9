// What can be seen to be wrong in a script's operations without asking a kernel: from the names that the script itself
// has made, deleted, renamed and moved, as far as that is certain.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/diagnostic.hpp"
#include "interpreter/known_names.hpp"

namespace netbatch {

class Checker {
 public:
  explicit Checker(const Namespaces& namespaces) : namespaces_(namespaces) {}

  // Takes the script's operations in order, each once. What is wrong with this one is appended to `errors`.
  void see(const Operation& operation, const Operations& owner, std::vector<grammar::Diagnostic>& errors);

 private:
  struct Target {  // where a link is going to be
    NsId ns = 0;
    bool given = false;  // by `netns`
    bool known = true;
  };

  void see_link(const Operation& operation, std::span<const Attr> attrs);
  void see_new_link(const Operation& operation, std::span<const Attr> attrs, std::span<const Attr> peer);
  void see_peer(const Operation& operation, const Target& own, std::span<const Attr> peer);
  void see_change(const Operation& operation, std::span<const Attr> attrs);
  void see_deletion(const Operation& operation);
  void see_links_named(const Operation& operation, std::span<const Attr> attrs);
  void refuse_itself(const Operation& operation, std::span<const Attr> attrs);
  void use(NsId ns, std::string_view name, Span span);
  void make(NsId ns, std::string_view name, Span span, Fate fate, bool must_be_new);
  Target target(const Operation& operation, std::span<const Attr> attrs) const;
  bool certain(NsId ns) const;
  std::string in(NsId ns) const;
  void fail(Span span, std::string message, std::string note, Span where);

  const Namespaces& namespaces_;
  KnownNames names_;
  std::set<std::string, std::less<>> automatic_;  // kinds of which the kernel has named a link: veth0, veth1 …
  std::vector<grammar::Diagnostic>* errors_ = nullptr;
};

}  // namespace netbatch
