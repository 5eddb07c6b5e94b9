#include "interpreter/encoder.hpp"
#include "interpreter/route_hops.hpp"

namespace netbatch {
void encode_route(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const auto [type, flags] = verb_request(op.verb, RTM_NEWROUTE, RTM_DELROUTE);
  encoder.begin(type, flags, sizeof(rtmsg));
  if (encoder.failed()) return;
  auto& header = *encoder.header<rtmsg>();
  header.rtm_family = op.header.family;
  header.rtm_dst_len = op.header.prefix_length;
  header.rtm_src_len = op.header.source_length;
  header.rtm_tos = op.header.tos;
  header.rtm_table = op.header.table;
  header.rtm_protocol = op.header.protocol;
  header.rtm_scope = op.header.scope;
  header.rtm_type = op.header.type;
  header.rtm_flags = op.header.flags;
  const auto attrs = encoder.attrs();
  encoder.put_all(attrs, Place::Top);
  for (const Attr& attr : attrs)
    if (attr.row->place == Place::Hops) put_hops(encoder, attr);
  if (!Encoder::any(attrs, Place::Metrics)) return;
  const size_t metrics = encoder.buffer().begin_nest(RTA_METRICS);
  encoder.put_all(attrs, Place::Metrics);
  encoder.buffer().end_nest(metrics);
}

}  // namespace netbatch
