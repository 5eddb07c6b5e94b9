#include <linux/if.h>

#include "interpreter/encoder.hpp"
#include "interpreter/kinds.hpp"
#include "interpreter/link.hpp"

namespace netbatch {
namespace {

constexpr size_t kMaxName = 15;

struct Request {
  uint16_t type;
  uint16_t flags;
};

Request request(const Operation& op) {
  switch (op.verb) {
    case Verb::Add:
      return {RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL};
    case Verb::Replace:
      return {RTM_NEWLINK, NLM_F_CREATE | NLM_F_REPLACE};
    case Verb::Delete:
      return {RTM_DELLINK, 0};
    case Verb::AddName:
      return {RTM_NEWLINKPROP, NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND};
    case Verb::DeleteName:
      return {RTM_DELLINKPROP, 0};
    default:
      // Only RTM_NEWLINK looks at IFLA_LINKINFO, and takes a whole group.
      return {static_cast<uint16_t>(op.kind != nullptr || op.name.empty() ? RTM_NEWLINK : RTM_SETLINK), 0};
  }
}

bool creates(const Operation& op) { return op.verb == Verb::Add || op.verb == Verb::Replace; }

// `if7`: to ip, index 7 where no link has that name.
bool looks_like_index(std::string_view name) {
  return name.size() > 2 && name.starts_with("if") && name.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

bool renames(std::span<const Attr> attrs) {
  for (const Attr& attr : attrs) {
    if (attr.row->option == Option::Name) return true;
  }
  return false;
}

void put_name(Encoder& encoder, std::string_view name, Span span) {
  const size_t begin = encoder.buffer().message_offset();
  encoder.buffer().put_string(name.size() > kMaxName ? IFLA_ALT_IFNAME : IFLA_IFNAME, name);
  encoder.mark(begin, span);
}

// The link that the message is about: by its name, or by its index where the name stands for something else.
void put_identity(Encoder& encoder, ifinfomsg& header) {
  const Operation& op = encoder.operation;
  if (op.name.empty()) return;
  const bool by_index = !creates(op) && (looks_like_index(op.name) || renames(encoder.attrs()));
  if (by_index) {
    header.ifi_index = encoder.link(op.name, op.name_span);
  } else {
    put_name(encoder, op.name, op.name_span);
  }
}

void put_header_fields(Encoder& encoder, std::span<const Attr> attrs, ifinfomsg& header, bool creating) {
  for (const Attr& attr : attrs) {
    if (attr.row->place != Place::Header) continue;
    if (attr.row->attribute == kHeaderFlags) {
      const auto bit = static_cast<uint32_t>(attr.row->fixed);
      header.ifi_change |= bit;
      header.ifi_flags = attr.value.number != 0 ? header.ifi_flags | bit : header.ifi_flags & ~bit;
    } else if (creating) {
      header.ifi_index = static_cast<int>(attr.value.number);
    } else {
      const size_t begin = encoder.buffer().message_offset();
      encoder.buffer().put_u32(IFLA_NEW_IFINDEX, static_cast<uint32_t>(attr.value.number));
      encoder.mark(begin, attr.span);
    }
  }
}

void put_inet6(Encoder& encoder, std::span<const Attr> attrs) {
  if (!Encoder::any(attrs, Place::Inet6)) return;
  const size_t all = encoder.buffer().begin_nest(IFLA_AF_SPEC);
  const size_t inet6 = encoder.buffer().begin_nest(AF_INET6);
  encoder.put_all(attrs, Place::Inet6);
  encoder.buffer().end_nest(inet6);
  encoder.buffer().end_nest(all);
}

void put_peer(Encoder& encoder) {
  const Operation& op = encoder.operation;
  netlink::MessageBuffer& buffer = encoder.buffer();
  const size_t begin = buffer.message_offset();
  const size_t peer = buffer.begin_nest(op.kind->peer_attribute);
  auto* header = static_cast<ifinfomsg*>(buffer.raw(sizeof(ifinfomsg)));
  if (header != nullptr) {
    const auto attrs = encoder.peer_attrs();
    put_header_fields(encoder, attrs, *header, true);
    if (!op.peer_name.empty()) put_name(encoder, op.peer_name, op.peer_name_span);
    encoder.put_all(attrs, Place::Top);
    put_inet6(encoder, attrs);
  }
  buffer.end_nest(peer);
  encoder.mark(begin, op.peer_name_span);
}

// A slave's kind is its master's, and the kernel looks there. Naming `bridge_slave` as a kind would make it look for a
// module of that name.
void put_kind(Encoder& encoder) {
  const Operation& op = encoder.operation;
  netlink::MessageBuffer& buffer = encoder.buffer();
  const size_t begin = buffer.message_offset();
  const size_t info = buffer.begin_nest(IFLA_LINKINFO);
  if (!op.kind->slave) buffer.put(IFLA_INFO_KIND, op.kind->name.data(), op.kind->name.size());
  if (op.has_peer || Encoder::any(encoder.attrs(), Place::InfoData)) {
    const size_t data = buffer.begin_nest(op.kind->slave ? IFLA_INFO_SLAVE_DATA : IFLA_INFO_DATA);
    encoder.put_all(encoder.attrs(), Place::InfoData);
    if (op.has_peer) put_peer(encoder);
    buffer.end_nest(data);
  }
  buffer.end_nest(info);
  encoder.mark(begin, op.kind_span);
}

}  // namespace

void encode_link(Encoder& encoder) {
  const Operation& op = encoder.operation;
  const auto [type, flags] = request(op);
  encoder.begin(type, flags, sizeof(ifinfomsg));
  if (encoder.failed()) return;
  auto& header = *encoder.header<ifinfomsg>();
  put_identity(encoder, header);
  const auto attrs = encoder.attrs();
  const bool names = op.verb == Verb::AddName || op.verb == Verb::DeleteName;
  const size_t list = names ? encoder.buffer().begin_nest(IFLA_PROP_LIST) : 0;
  put_header_fields(encoder, attrs, header, creates(op));
  encoder.put_all(attrs, Place::Top);
  put_inet6(encoder, attrs);
  if (names) encoder.buffer().end_nest(list);
  if (op.kind != nullptr) put_kind(encoder);
}

}  // namespace netbatch
