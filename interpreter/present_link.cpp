#include "interpreter/present_link.hpp"

#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cstring>

#include "interpreter/kinds.hpp"
#include "interpreter/link.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

using Bytes = std::span<const std::byte>;

// Numbers in host byte order, of whatever size.
uint64_t number_of(Bytes bytes) { return read_struct<uint64_t>(bytes); }

uint64_t numbered(Bytes attributes, uint16_t type) { return number_of(payload_of(attributes, type)); }

// Pairs of 32-bit words, values and the mask of those that are meant: of vlan the values come first, of a bridge too.
bool masked_equal(const Value& value, Bytes payload) {
  uint32_t wanted[2] = {};
  uint32_t present[2] = {};
  std::memcpy(wanted, &value.number, sizeof wanted);
  if (!payload.empty()) std::memcpy(present, payload.data(), std::min(payload.size(), sizeof present));
  return ((wanted[0] ^ present[0]) & wanted[1]) == 0;
}

// Each of the given attributes is among the present ones.
bool is_subset(std::string_view wanted, Bytes present) {
  netlink::AttributeReader reader(std::as_bytes(std::span(wanted)));
  for (netlink::Attribute attribute; reader.next(attribute);) {
    bool found = false;
    netlink::AttributeReader others(present);
    for (netlink::Attribute other; others.next(other) && !found;)
      found = other.type == attribute.type && std::ranges::equal(other.payload, attribute.payload);
    if (!found) return false;
  }
  return true;
}

bool is_masked(const Kind& kind, uint16_t attribute) {
  return (kind.name == "bridge" && attribute == IFLA_BR_MULTI_BOOLOPT) ||
         (kind.name == "vlan" && attribute == IFLA_VLAN_FLAGS);
}

bool is_map(const Kind& kind, uint16_t attribute) {
  return kind.name == "vlan" && (attribute == IFLA_VLAN_EGRESS_QOS || attribute == IFLA_VLAN_INGRESS_QOS);
}

}  // namespace

const Attr* find_attr(std::span<const Attr> attrs, uint16_t attribute) {
  const auto place = std::ranges::find_if(
      attrs, [&](const Attr& attr) { return attr.row->place == Place::Top && attr.row->attribute == attribute; });
  return place == attrs.end() ? nullptr : &*place;
}

bool is_value(const Attr& attr, Bytes payload) {
  const Value& value = attr.value;
  if (attr.row->type == ValueType::Text || attr.row->type == ValueType::TextNul)
    return text_of(payload) == value.text();
  if (value.is_data) return std::ranges::equal(std::as_bytes(std::span(value.text())), payload);
  // The keyword alone: there, or a number that says yes.
  if (value.size == 0) return payload.empty() || number_of(payload) != 0;
  if (payload.size() == value.size) return std::memcmp(payload.data(), &value.number, value.size) == 0;
  return !payload.empty() && number_of(payload) == value.number;
}

PresentLink::PresentLink(const Message& message) : attributes_(attributes_after(message, sizeof(ifinfomsg))) {
  const auto header = read_struct<ifinfomsg>(message);
  index_ = header.ifi_index;
  flags_ = header.ifi_flags;
  const Bytes info = payload_of(attributes_, IFLA_LINKINFO);
  kind_ = text_of(payload_of(info, IFLA_INFO_KIND));
  port_kind_ = text_of(payload_of(info, IFLA_INFO_SLAVE_KIND));
  data_ = payload_of(info, IFLA_INFO_DATA);
  port_data_ = payload_of(info, IFLA_INFO_SLAVE_DATA);
  inet6_ = payload_of(payload_of(attributes_, IFLA_AF_SPEC), AF_INET6);
  lower_ = static_cast<int>(numbered(attributes_, IFLA_LINK));
  lower_is_elsewhere_ = !payload_of(attributes_, IFLA_LINK_NETNSID).empty();
  group_ = static_cast<uint32_t>(numbered(attributes_, IFLA_GROUP));
}

std::vector<std::string_view> PresentLink::alternative_names() const {
  std::vector<std::string_view> names;
  netlink::AttributeReader reader(payload_of(attributes_, IFLA_PROP_LIST));
  for (netlink::Attribute attribute; reader.next(attribute);)
    if (attribute.type == IFLA_ALT_IFNAME) names.push_back(attribute.text());
  return names;
}

Bytes PresentLink::find(const Attr& attr, const Kind* kind, bool& found) const {
  Bytes where = attributes_;
  if (attr.row->place == Place::InfoData) where = kind != nullptr && kind->slave ? port_data_ : data_;
  if (attr.row->place == Place::Inet6) where = inet6_;
  const bool ip6 = attr.row->type == ValueType::Ip && attr.value.family == AF_INET6;
  Bytes payload;
  found = find_payload(where, ip6 ? attr.row->attribute6 : attr.row->attribute, payload);
  return payload;
}

bool PresentLink::has(const Attr& attr, const Kind* kind, const std::function<int(std::string_view)>& index_of) const {
  const Row& row = *attr.row;
  if (row.place == Place::Header) {
    if (row.attribute == kHeaderIndex) return attr.value.number == static_cast<uint64_t>(index_);
    return ((flags_ & row.fixed) != 0) == (attr.value.number != 0);
  }
  bool found = false;
  const Bytes payload = find(attr, kind, found);
  if (row.type == ValueType::Link) {
    const int index = index_of(attr.value.text());
    return found && index != 0 && number_of(payload) == static_cast<uint64_t>(index);
  }
  // `nomaster`, an empty alias: what is not there.
  if (!found) return row.option == Option::NoMaster || (row.option == Option::Alias && attr.value.size == 0);
  if (kind != nullptr && row.place == Place::InfoData && is_masked(*kind, row.attribute))
    return masked_equal(attr.value, payload);
  if (kind != nullptr && row.place == Place::InfoData && is_map(*kind, row.attribute))
    return is_subset(attr.value.text(), payload);
  return is_value(attr, payload);
}

}  // namespace netbatch
