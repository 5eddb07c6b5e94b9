#include "interpreter/report.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "interpreter/kinds.hpp"
#include "interpreter/sentences.hpp"

namespace netbatch {
namespace {

std::string in_namespace(NsId ns, const Namespaces& namespaces) {
  return ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces.name(ns));
}

// In the kernel's words. Of a namespace, `text` is the step that failed.
std::string kernel_note(int error, std::string_view text, Object object = Object::Link) {
  if (object == Object::Netns && !text.empty())
    return fmt::format("{}: {} ({})", text, strerrordesc_np(error), errno_name(error));
  return fmt::format("kernel: {} ({})", text.empty() ? strerrordesc_np(error) : text, errno_name(error));
}

std::string unresolved(const EncodeError& error, const Namespaces& namespaces) {
  switch (error.what) {
    case EncodeError::What::NoLink:
      if (error.error == ENODEV)
        return fmt::format("no link named '{}'{}", error.name, in_namespace(error.ns, namespaces));
      return fmt::format("the link '{}'{} could not be looked up", error.name, in_namespace(error.ns, namespaces));
    case EncodeError::What::NoNetns:
      if (error.error == ENOENT) return fmt::format("no namespace named '{}'", namespaces.name(error.ns));
      return fmt::format("the namespace '{}' could not be opened", namespaces.name(error.ns));
    default:
      return "the statement makes a message that is too long";
  }
}

// Where the kernel has not said which option is at fault.
Span place_of(const Failure& failure, const Advice& advice, const Operation& operation, const Operations& owner) {
  if (failure.span != operation.span) return failure.span;
  if (advice.option != Option::Other) return find_option(advice.option, operation, owner)->span;
  const bool new_name = failure.error == EEXIST && operation.object == Object::Link && !operation.has_peer;
  return new_name && !operation.name.empty() ? operation.name_span : failure.span;
}

// For what the kernel, or netbatch, has no better words than a sentence for its errno.
void explain(const Failure& failure, const Operation& operation, const Operations& owner, Diagnostic& diagnostic) {
  const Advice advice = advise(failure.error, operation, owner);
  diagnostic.span = place_of(failure, advice, operation, owner);
  diagnostic.message = advice.text;
  std::string_view text = failure.text;
  if (!text.empty() && !advice.says_more_than_kernel) {
    diagnostic.message = fmt::format("the kernel refuses this: {}", text);
    text = {};
  }
  diagnostic.notes.push_back({kernel_note(failure.error, text, operation.object), {}});
}

}  // namespace

Diagnostic describe(const Failure& failure, const Operations& operations, const Program& program) {
  const Operation& operation = operations.list[failure.operation];
  Diagnostic diagnostic;
  diagnostic.span = failure.span;
  const bool no_kind = failure.error == EOPNOTSUPP && operation.kind != nullptr && operation.verb == Verb::Add &&
                       (failure.text.empty() || failure.text == "Unknown device type");
  if (failure.encode) {
    diagnostic.message = unresolved(failure.encode, program.namespaces);
  } else if (failure.error == ENODEV && !operation.name.empty() && failure.text.empty()) {
    diagnostic.message =
        fmt::format("no link named '{}'{}", operation.name, in_namespace(operation.ns, program.namespaces));
    diagnostic.span = operation.name_span;
  } else if (failure.error == ENOENT && operation.object == Object::Netns) {
    diagnostic.message = fmt::format("no namespace named '{}'", operation.name);
  } else if (no_kind) {
    diagnostic.message = fmt::format("this kernel has no links of type '{}'", operation.kind->name);
    diagnostic.span = operation.kind_span;
  } else {
    explain(failure, operation, operations, diagnostic);
    return diagnostic;
  }
  if (failure.error != 0) diagnostic.notes.push_back({kernel_note(failure.error, failure.text, operation.object), {}});
  return diagnostic;
}

}  // namespace netbatch
