#include "interpreter/save_state.hpp"

#include <linux/net_namespace.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "netlink/ack.hpp"
#include "netlink/message.hpp"

namespace netbatch {
namespace {

constexpr int kNoNsid = -1;

SavedLink read_link(NsId ns, const Message& message) {
  SavedLink link;
  link.ns = ns;
  link.header = header_of<ifinfomsg>(message);
  link.attributes = attributes_of<ifinfomsg>(message);
  link.name = link.attributes.text(IFLA_IFNAME);
  const Attributes info = link.attributes.nested(IFLA_LINKINFO);
  link.kind_name = info.text(IFLA_INFO_KIND);
  link.kind = find_kind(link.kind_name);
  link.options = info.nested(IFLA_INFO_DATA);
  link.port_kind = info.text(IFLA_INFO_SLAVE_KIND);
  link.port_options = info.nested(IFLA_INFO_SLAVE_DATA);
  return link;
}

int read_namespace(Transport& transport, SavedNamespace& space) {
  for (auto& [type, found] : {std::pair<uint16_t, std::vector<Message>*>{RTM_GETLINK, &space.messages},
                              {RTM_GETADDR, &space.addresses},
                              {RTM_GETROUTE, &space.routes},
                              {RTM_GETNEIGH, &space.neighbours}}) {
    if (const int error = transport.dump(space.ns, type, *found); error != 0) return error;
  }
  std::sort(space.messages.begin(), space.messages.end(), [](const Message& a, const Message& b) {
    return header_of<ifinfomsg>(a).ifi_index < header_of<ifinfomsg>(b).ifi_index;
  });
  for (const Message& message : space.messages) space.links.push_back(read_link(space.ns, message));
  return 0;
}

// What the namespace `in` calls the namespace `of`.
class Nsids {
 public:
  explicit Nsids(Transport& transport) : transport_(transport), buffer_(8192) {}

  int find(NsId in, NsId of) {
    auto [place, is_new] = known_.try_emplace({in, of}, kNoNsid);
    if (is_new) place->second = ask(in, of);
    return place->second;
  }

 private:
  int ask(NsId in, NsId of) {
    int pid = 0;
    const auto file = transport_.netns(of, &pid);
    if (!file) return kNoNsid;
    netlink::MessageBuffer request(256);
    request.begin(RTM_GETNSID, 0, ++sequence_, sizeof(rtgenmsg));
    request.put_u32(NETNSA_FD, static_cast<uint32_t>(*file));
    request.end();
    const int error = transport_.send(in, request.bytes());
    transport_.release();
    if (error != 0) return kNoNsid;
    const auto size = transport_.receive(in, buffer_);
    if (!size) return kNoNsid;
    netlink::ReplyReader reader(Bytes(buffer_).first(*size));
    netlink::Reply reply;
    if (!reader.next(reply) || reply.type != RTM_NEWNSID || reply.payload.size() < NLMSG_ALIGN(sizeof(rtgenmsg)))
      return kNoNsid;
    const Attributes attributes(reply.payload.subspan(NLMSG_ALIGN(sizeof(rtgenmsg))));
    return static_cast<int>(static_cast<int32_t>(attributes.number(NETNSA_NSID, UINT32_MAX)));
  }

  Transport& transport_;
  std::vector<std::byte> buffer_;
  std::map<std::pair<NsId, NsId>, int> known_;
  uint32_t sequence_ = 0x5a000000;
};

class Connector {
 public:
  Connector(Transport& transport, std::deque<SavedNamespace>& spaces) : spaces_(spaces), nsids_(transport) {}

  void connect(SavedNamespace& space, SavedLink& link) {
    if (const auto master = static_cast<int>(link.attributes.number(IFLA_MASTER)); master != 0)
      link.master = space.find(master);
    const auto other = static_cast<int>(link.attributes.number(IFLA_LINK));
    if (other == 0) return;
    const bool abroad = link.attributes.has(IFLA_LINK_NETNSID);
    if (!abroad && other == link.header.ifi_index) return;
    const bool pair = link.kind != nullptr && link.kind->has_peer;
    SavedLink*& place = pair ? link.peer : link.below;
    place = abroad ? find_abroad(link, other, pair) : space.find(other);
    link.elsewhere = place == nullptr;
  }

 private:
  SavedLink* find_abroad(const SavedLink& link, int index, bool pair) {
    const auto nsid = static_cast<int>(static_cast<int32_t>(link.attributes.number(IFLA_LINK_NETNSID)));
    for (SavedNamespace& space : spaces_) {
      SavedLink* found = space.ns == link.ns ? nullptr : space.find(index);
      if (found == nullptr) continue;
      const bool fits = !pair || static_cast<int>(found->attributes.number(IFLA_LINK)) == link.header.ifi_index;
      if (fits && nsids_.find(link.ns, space.ns) == nsid) return found;
    }
    return nullptr;
  }

  std::deque<SavedNamespace>& spaces_;
  Nsids nsids_;
};

}  // namespace

Attributes::Attributes(Bytes bytes) {
  netlink::AttributeReader reader(bytes);
  for (netlink::Attribute attribute; reader.next(attribute);) values_[attribute.type] = attribute.payload;
}

Bytes Attributes::bytes(uint16_t type) const {
  const auto place = values_.find(type);
  return place == values_.end() ? Bytes{} : place->second;
}

uint64_t Attributes::number(uint16_t type, uint64_t otherwise) const {
  if (!has(type)) return otherwise;
  const Bytes value = bytes(type);
  switch (value.size()) {
    case 1:
      return static_cast<uint8_t>(value[0]);
    case 2: {
      uint16_t number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      return number;
    }
    case 4: {
      uint32_t number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      return number;
    }
    default: {
      uint64_t number = 0;
      std::memcpy(&number, value.data(), std::min(value.size(), sizeof number));
      return number;
    }
  }
}

std::string Attributes::text(uint16_t type) const { return std::string(netlink::Attribute{type, bytes(type)}.text()); }

SavedLink* SavedNamespace::find(int index) {
  const auto place = std::lower_bound(links.begin(), links.end(), index,
                                      [](const SavedLink& link, int wanted) { return link.header.ifi_index < wanted; });
  return place != links.end() && place->header.ifi_index == index ? &*place : nullptr;
}

int read_state(Transport& transport, std::deque<SavedNamespace>& namespaces) {
  for (SavedNamespace& space : namespaces)
    if (const int error = read_namespace(transport, space); error != 0) return error;
  Connector connector(transport, namespaces);
  for (SavedNamespace& space : namespaces)
    for (SavedLink& link : space.links) connector.connect(space, link);
  return 0;
}

}  // namespace netbatch
