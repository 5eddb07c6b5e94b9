#include <linux/neighbour.h>

#include "interpreter/encoder.hpp"

namespace netbatch {
void encode_neigh(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const int index = op.name.empty() ? 0 : encoder.link(op.name, op.name_span);
  const auto [type, flags] = verb_request(op.verb, RTM_NEWNEIGH, RTM_DELNEIGH);
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
