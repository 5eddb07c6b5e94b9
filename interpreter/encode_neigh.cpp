#include <linux/neighbour.h>

#include "interpreter/encoder.hpp"

namespace netbatch {
namespace {

struct Request {
  uint16_t type;
  uint16_t flags;
};

Request request(Verb verb) {
  switch (verb) {
    case Verb::Add:
      return {RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_EXCL};
    case Verb::Replace:
      return {RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE};
    case Verb::Delete:
      return {RTM_DELNEIGH, 0};
    default:
      return {RTM_NEWNEIGH, NLM_F_REPLACE};
  }
}

}  // namespace

void encode_neigh(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const int index = op.name.empty() ? 0 : encoder.link(op.name, op.name_span);
  const auto [type, flags] = request(op.verb);
  encoder.begin(type, flags, sizeof(ndmsg));
  if (encoder.failed()) return;
  auto& header = *encoder.header<ndmsg>();
  header.ndm_family = op.header.family;
  header.ndm_ifindex = index;
  header.ndm_state = op.header.state;
  header.ndm_flags = static_cast<uint8_t>(op.header.flags);
  encoder.put_all(encoder.attrs(), Place::Top);
}

}  // namespace netbatch
