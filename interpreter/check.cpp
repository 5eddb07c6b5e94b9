// N.B. A name that no statement made may exist, and a script may do with names what cannot be followed here: a whole
// group of links, a namespace that is given by a PID, a name that the kernel chooses. Where that is so, nothing is
// known any more, and nothing is said.
#include "interpreter/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/kinds.hpp"

namespace netbatch {
namespace {

const Attr* find(std::span<const Attr> attrs, Option option) {
  const auto found =
      std::find_if(attrs.begin(), attrs.end(), [&](const Attr& attr) { return attr.row->option == option; });
  return found == attrs.end() ? nullptr : &*found;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// `if7` can be the link with index 7, whatever that is called.
bool means_index(std::string_view name) { return name.starts_with("if") && all_digits(name.substr(2)); }

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

// Whether the link vanishes with another one: the peer, or the link below.
bool goes_with_another(const Operation& operation, std::span<const Attr> attrs) {
  if (operation.kind->has_peer || operation.kind->needs_link) return true;
  return std::any_of(attrs.begin(), attrs.end(), [](const Attr& attr) {
    return attr.row->type == ValueType::Link && attr.row->option != Option::Master;
  });
}

}  // namespace

void Checker::see(const Operation& operation, const Operations& owner, std::vector<grammar::Diagnostic>& errors) {
  errors_ = &errors;
  const std::span<const Attr> attrs = owner.of(operation.attrs);
  if (operation.object == Object::Netns) {
    // Its links vanish with their peers; those of hardware come back to where netbatch runs.
    if (operation.verb != Verb::Add && operation.verb != Verb::Ensure) names_.forget_all();
  } else if (!certain(operation.ns) || means_index(operation.name)) {
    names_.forget_all();
  } else if (operation.verb == Verb::Absent) {
    if (operation.object == Object::Link) see_deletion(operation);
  } else if (operation.object != Object::Link) {
    use(operation.ns, operation.name, operation.name_span);
    see_links_named(operation, attrs);
  } else if (operation.name.empty() && operation.kind == nullptr) {
    names_.forget_all();  // a group
  } else if (operation.verb == Verb::Add || operation.verb == Verb::Replace ||
             (operation.verb == Verb::Ensure && operation.kind != nullptr && !operation.kind->slave)) {
    see_new_link(operation, attrs, owner.of(operation.peer_attrs));
  } else {
    see_link(operation, attrs);
  }
}

// Whether no other name can stand for the same namespace.
bool Checker::certain(NsId ns) const {
  const std::string& name = namespaces_.name(ns);
  return ns == 0 || !(all_digits(name) || name.find('/') != std::string::npos);
}

std::string Checker::in(NsId ns) const {
  return ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces_.name(ns));
}

void Checker::fail(Span span, std::string message, std::string note, Span where) {
  errors_->push_back({.span = span, .message = std::move(message)});
  errors_->back().notes.push_back({std::move(note), where});
}

void Checker::use(NsId ns, std::string_view name, Span span) {
  if (name.empty() || automatic_.contains(without_number(name))) return;
  const KnownNames::Known known = names_.find(ns, name);
  switch (known.fate) {
    case Fate::Deleted:
      return fail(span, fmt::format("the link '{}'{} has been deleted", name, in(ns)), "it was deleted here",
                  known.span);
    case Fate::Renamed:
      return fail(span, fmt::format("the link '{}'{} has another name now", name, in(ns)), "it was renamed here",
                  known.span);
    case Fate::Moved:
      return fail(span, fmt::format("the link '{}'{} is in another namespace now", name, in(ns)), "it was moved here",
                  known.span);
    default:
      return;
  }
}

void Checker::make(NsId ns, std::string_view name, Span span, Fate fate, bool must_be_new) {
  const KnownNames::Known known = names_.find(ns, name);
  const bool there = known.fate == Fate::Made || known.fate == Fate::MadeBeside;
  if (there && must_be_new) {
    fail(span, fmt::format("there is a link named '{}'{} already", name, in(ns)), "it was made here", known.span);
  }
  names_.set(ns, name, fate, span);
}

Checker::Target Checker::target(const Operation& operation, std::span<const Attr> attrs) const {
  const Attr* netns = find(attrs, Option::Netns);
  if (netns == nullptr) return {operation.ns};
  const auto ns = static_cast<NsId>(netns->value.number);
  return {ns, true, certain(ns)};
}

// N.B. The kernel seeks the master where the link goes, and the link below where the statement runs.
void Checker::see_links_named(const Operation& operation, std::span<const Attr> attrs) {
  const bool goes = find(attrs, Option::Netns) != nullptr;
  for (const Attr& attr : attrs) {
    if (attr.row->type != ValueType::Link || (goes && attr.row->option == Option::Master)) continue;
    use(operation.ns, attr.value.text(), attr.span);
  }
}

void Checker::refuse_itself(const Operation& operation, std::span<const Attr> attrs) {
  for (const Attr& attr : attrs) {
    if (attr.row->type != ValueType::Link || attr.value.text() != operation.name) continue;
    const bool master = attr.row->option == Option::Master;
    errors_->push_back({.span = attr.span,
                        .message = fmt::format("the link '{}' cannot be {}", operation.name,
                                               master ? "its own master" : "the link below itself")});
  }
}

void Checker::see_new_link(const Operation& operation, std::span<const Attr> attrs, std::span<const Attr> peer) {
  const Target own = target(operation, attrs);
  see_links_named(operation, attrs);
  if (find_kind(operation.kind->name) != operation.kind) return names_.forget_all();  // it may make others, too
  if (operation.verb == Verb::Add && !own.given) refuse_itself(operation, attrs);
  if (operation.name.empty()) {
    automatic_.insert(std::string(operation.kind->name));
  } else if (!own.known) {
    names_.forget_all();
  } else {
    const Fate fate = goes_with_another(operation, attrs) ? Fate::MadeBeside : Fate::Made;
    make(own.ns, operation.name, operation.name_span, fate, operation.verb == Verb::Add);
  }
  if (operation.kind->has_peer) see_peer(operation, own, peer);
}

void Checker::see_peer(const Operation& operation, const Target& own, std::span<const Attr> peer) {
  const Target other = target(operation, peer);
  if (operation.peer_name.empty()) {
    automatic_.insert(std::string(operation.kind->name));
    return;
  }
  if (!other.known) return names_.forget_all();
  // Kernels differ in where the peer goes when only the link itself has a namespace.
  if (own.given && !other.given) {
    names_.set(own.ns, operation.peer_name, Fate::Unknown, {});
    names_.set(other.ns, operation.peer_name, Fate::Unknown, {});
    return;
  }
  if (own.known && own.ns == other.ns && operation.name == operation.peer_name) {
    errors_->push_back({.span = operation.peer_name_span,
                        .message = fmt::format("a link and its peer cannot both be named '{}'", operation.name)});
    return;
  }
  make(other.ns, operation.peer_name, operation.peer_name_span, Fate::MadeBeside, operation.verb == Verb::Add);
}

void Checker::see_link(const Operation& operation, std::span<const Attr> attrs) {
  use(operation.ns, operation.name, operation.name_span);
  switch (operation.verb) {
    case Verb::Delete:
      return see_deletion(operation);
    case Verb::AddName:
    case Verb::DeleteName:
    case Verb::EnsureName:
    case Verb::AbsentName:
      // A link with several names goes when any of them is deleted.
      for (const Attr& attr : attrs) names_.set(operation.ns, attr.value.text(), Fate::Unknown, {});
      return names_.set(operation.ns, operation.name, Fate::Unknown, {});
    default:
      return see_change(operation, attrs);
  }
}

void Checker::see_deletion(const Operation& operation) {
  names_.forget_beside();
  names_.set(operation.ns, operation.name, Fate::Deleted, operation.name_span);
}

void Checker::see_change(const Operation& operation, std::span<const Attr> attrs) {
  see_links_named(operation, attrs);
  const Attr* rename = find(attrs, Option::Name);
  const Target to = target(operation, attrs);
  if (rename == nullptr && to.ns == operation.ns) return refuse_itself(operation, attrs);
  const std::string_view name = rename != nullptr ? rename->value.text() : operation.name;
  const Span span = rename != nullptr ? rename->span : operation.name_span;
  const bool moves = to.ns != operation.ns;
  const Fate fate = names_.find(operation.ns, operation.name).fate;
  // A name that the script did not make may be an alternative one, which stays.
  const bool is_name = fate == Fate::Made || fate == Fate::MadeBeside;
  const Fate left = moves ? Fate::Moved : is_name ? Fate::Renamed : Fate::Unknown;
  names_.set(operation.ns, operation.name, left, operation.name_span);
  if (!to.known) return names_.forget_all();
  make(to.ns, name, span, fate == Fate::Made ? Fate::Made : Fate::MadeBeside, !moves);
}

}  // namespace netbatch
