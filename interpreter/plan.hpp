// What will be sent, in which order, in whose place. Made by the planner, printed by `netbatch plan`, run by the
// executor. Plain data: no socket, no errno.
#pragma once

#include <string>

#include "interpreter/operation.hpp"

namespace netbatch {

enum class RequestKind : uint8_t {
  Plain,        // one statement as it is
  Fused,        // one message for several statements, or for a part of one
  DeleteGroup,  // several `link del`: the links are tagged with one fresh IFLA_GROUP, which is deleted
};

// A name that must be free for a request to mean the same as its statements: they would have used it for a moment.
struct AbsentName {
  NsId ns;
  std::string_view name;
};

struct Request {
  RequestKind kind = RequestKind::Plain;
  NsId ns = 0;                // whose socket it is sent on
  uint32_t operation = 0;     // Plain: index into the script's operations; Fused: into Plan::merged
  uint32_t first_source = 0;  // the statements that it carries out: Plan::sources
  uint32_t source_count = 0;
  uint32_t first_absent = 0;
  uint32_t absent_count = 0;
};

// Requests for one namespace, sent one window after the other.
struct Group {
  NsId ns = 0;
  uint32_t first_request = 0;
  uint32_t request_count = 0;
};

struct Plan {
  uint32_t first = 0;  // the operations that it is of: [first, last)
  uint32_t last = 0;
  std::vector<Group> groups;
  std::vector<Request> requests;  // in the order of execution
  std::vector<uint32_t> sources;  // indices into the script's operations, ascending within a request
  std::vector<AbsentName> absent;
  Operations merged;  // the operations of Fused requests

  std::span<const uint32_t> sources_of(const Request& request) const {
    return {sources.data() + request.first_source, request.source_count};
  }
  std::span<const AbsentName> absent_of(const Request& request) const {
    return {absent.data() + request.first_absent, request.absent_count};
  }
};

// The plan as text, for people and for tests.
std::string to_string(const Plan& plan, const Operations& operations, const Namespaces& namespaces);

// The value in iproute2's words; empty for an option without one, "…" for one that has none.
std::string value_text(const Attr& attr, const Namespaces& namespaces);

// `link`, `add`: the words for them.
std::string_view word_of(Object object);
std::string_view word_of(Verb verb);

// One operation as a line of an `ip` batch file, with iproute2's keywords.
std::string to_string(const Operation& operation, const Operations& owner, const Namespaces& namespaces);

}  // namespace netbatch
