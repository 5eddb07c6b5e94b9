#include <linux/if_addr.h>

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
      return {RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL};
    case Verb::Replace:
      return {RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE};
    case Verb::Delete:
      return {RTM_DELADDR, 0};
    case Verb::Flush:  // what is there to be deleted; the filters are the caller's
      return {RTM_GETADDR, NLM_F_DUMP};
    default:
      return {RTM_NEWADDR, NLM_F_REPLACE};
  }
}

}  // namespace

void encode_addr(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const int index = encoder.link(op.name, op.name_span);
  const auto [type, flags] = request(op.verb);
  encoder.begin(type, flags, sizeof(ifaddrmsg));
  if (encoder.failed()) return;
  auto& header = *encoder.header<ifaddrmsg>();
  header.ifa_family = op.header.family;
  header.ifa_index = static_cast<uint32_t>(index);
  if (op.verb == Verb::Flush) return;
  header.ifa_prefixlen = op.header.prefix_length;
  header.ifa_scope = op.header.scope;
  header.ifa_flags = static_cast<uint8_t>(op.header.flags);
  encoder.put_all(encoder.attrs(), Place::Top);
}

}  // namespace netbatch
