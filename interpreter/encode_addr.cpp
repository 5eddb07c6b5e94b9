#include <linux/if_addr.h>

#include "interpreter/encoder.hpp"

namespace netbatch {
void encode_addr(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const int index = encoder.link(op.name, op.name_span);
  // A flush: what is there to be deleted; the filters are the caller's.
  const VerbRequest dump{RTM_GETADDR, NLM_F_DUMP};
  const auto [type, flags] = op.verb == Verb::Flush ? dump : verb_request(op.verb, RTM_NEWADDR, RTM_DELADDR);
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
