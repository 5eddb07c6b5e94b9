#include "interpreter/encoder.hpp"
#include "interpreter/route_hops.hpp"

namespace netbatch {
namespace {

struct Request {
  uint16_t type;
  uint16_t flags;
};

Request request(Verb verb) {
  switch (verb) {
    case Verb::Add:
      return {RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL};
    case Verb::Replace:
      return {RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE};
    case Verb::Append:
      return {RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND};
    case Verb::Prepend:
      return {RTM_NEWROUTE, NLM_F_CREATE};
    case Verb::Delete:
      return {RTM_DELROUTE, 0};
    default:
      return {RTM_NEWROUTE, NLM_F_REPLACE};
  }
}

}  // namespace

void encode_route(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const auto [type, flags] = request(op.verb);
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
