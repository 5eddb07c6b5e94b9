#include "interpreter/report.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "interpreter/sentences.hpp"

namespace netbatch {
namespace {

std::string in_namespace(NsId ns, const Namespaces& namespaces) {
  return ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces.name(ns));
}

std::string kernel_note(const Failure& failure) {
  return fmt::format("kernel: {} ({})", failure.text.empty() ? strerrordesc_np(failure.error) : failure.text,
                     errno_name(failure.error));
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

}  // namespace

Diagnostic describe(const Failure& failure, const Operations& operations, const Program& program) {
  const Operation& operation = operations.list[failure.operation];
  Diagnostic diagnostic;
  diagnostic.span = failure.span;
  if (failure.encode) {
    diagnostic.message = unresolved(failure.encode, program.namespaces);
  } else if (failure.error == ENODEV && !operation.name.empty() && failure.text.empty()) {
    diagnostic.message =
        fmt::format("no link named '{}'{}", operation.name, in_namespace(operation.ns, program.namespaces));
    diagnostic.span = operation.name_span;
  } else if (failure.error == ENOENT && operation.object == Object::Netns) {
    diagnostic.message = fmt::format("no namespace named '{}'", operation.name);
  } else {
    diagnostic.message = sentence(failure.error, operation);
  }
  if (failure.error != 0) diagnostic.notes.push_back({kernel_note(failure), {}});
  return diagnostic;
}

}  // namespace netbatch
