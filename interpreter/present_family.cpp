#include "interpreter/present_family.hpp"

#include <linux/if_addr.h>
#include <linux/neighbour.h>

#include <algorithm>
#include <cstring>

#include "interpreter/present_link.hpp"

namespace netbatch {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kForever = 0xffffffff;

std::string_view text(const Attr* attr) { return attr == nullptr ? std::string_view{} : attr->value.text(); }

bool equal(std::string_view wanted, Bytes present) {
  return std::ranges::equal(std::as_bytes(std::span(wanted)), present);
}

bool has_lifetime(const Attr& attr, Bytes payload) {
  const auto wanted = read_struct<ifa_cacheinfo>(std::as_bytes(std::span(attr.value.text())));
  const auto present = read_struct<ifa_cacheinfo>(payload);
  // One that runs out is set again: it has run since.
  return wanted.ifa_valid == kForever && present.ifa_valid == kForever && wanted.ifa_prefered == kForever &&
         present.ifa_prefered == kForever;
}

bool has_flags(uint64_t wanted, Bytes attributes, const ifaddrmsg& header) {
  Bytes payload;
  const uint32_t present =
      find_payload(attributes, IFA_FLAGS, payload) ? read_struct<uint32_t>(payload) : header.ifa_flags;
  const uint64_t kept = wanted & ~uint64_t{IFA_F_OPTIMISTIC};  // ends with the detection of duplicates
  return (kept & ~uint64_t{present}) == 0;
}

}  // namespace

Bytes local_of(Bytes attributes) {
  Bytes local;
  if (!find_payload(attributes, IFA_LOCAL, local)) find_payload(attributes, IFA_ADDRESS, local);
  return local;
}

bool is_address(const Operation& op, std::span<const Attr> attrs, const Message& message, int index) {
  const auto header = read_struct<ifaddrmsg>(message);
  if (header.ifa_family != op.header.family || header.ifa_index != static_cast<uint32_t>(index)) return false;
  const Bytes attributes = attributes_after(message, sizeof header);
  if (!equal(text(find_attr(attrs, IFA_LOCAL)), local_of(attributes))) return false;
  const Attr* address = find_attr(attrs, IFA_ADDRESS);
  if (address == nullptr) return true;
  Bytes other;
  return header.ifa_prefixlen == op.header.prefix_length && find_payload(attributes, IFA_ADDRESS, other) &&
         equal(address->value.text(), other);
}

Likeness compare_address(const Operation& op, std::span<const Attr> attrs, const Message& message, int index) {
  const auto header = read_struct<ifaddrmsg>(message);
  const Bytes attributes = attributes_after(message, sizeof header);
  const bool ip6 = header.ifa_family == AF_INET6;
  if (!is_address(op, attrs, message, index)) {
    // An IPv6 address is on a link once, whatever its prefix length.
    const bool same_link = header.ifa_family == op.header.family && header.ifa_index == static_cast<uint32_t>(index);
    const bool blocks = ip6 && same_link && equal(text(find_attr(attrs, IFA_LOCAL)), local_of(attributes));
    return blocks ? Likeness::Different : Likeness::Other;
  }
  bool different = !ip6 && op.header.scope != 0 && op.header.scope != header.ifa_scope;
  bool settable = false;
  if (!has_flags(op.header.flags, attributes, header)) (ip6 ? settable : different) = true;
  for (const Attr& attr : attrs) {
    Bytes payload;
    const bool found = find_payload(attributes, attr.row->attribute, payload);
    switch (attr.row->attribute) {
      case IFA_LOCAL:
      case IFA_ADDRESS:
      case IFA_ANYCAST:
        break;
      case IFA_FLAGS:
        if (!has_flags(attr.value.number, attributes, header)) (ip6 ? settable : different) = true;
        break;
      case IFA_CACHEINFO:
        settable = settable || !found || !has_lifetime(attr, payload);
        break;
      case IFA_RT_PRIORITY:
        settable = settable || (found ? !is_value(attr, payload) : attr.value.number != 0);
        break;
      default:
        different = different || (!ip6 && !(found && is_value(attr, payload)));
    }
  }
  return different ? Likeness::Different : settable ? Likeness::Settable : Likeness::Same;
}

uint8_t prefix_length_of(const Message& address) { return read_struct<ifaddrmsg>(address).ifa_prefixlen; }

Likeness compare_neighbour(const Operation& op, std::span<const Attr> attrs, const Message& message, int index) {
  const auto header = read_struct<ndmsg>(message);
  const Bytes attributes = attributes_after(message, sizeof header);
  const bool proxy = (op.header.flags & NTF_PROXY) != 0;
  if (header.ndm_family != op.header.family || header.ndm_ifindex != index ||
      ((header.ndm_flags & NTF_PROXY) != 0) != proxy)
    return Likeness::Other;
  bool same = proxy || header.ndm_state == op.header.state;
  same = same && (op.header.flags & NTF_USE) == 0 && (op.header.flags & ~uint32_t{header.ndm_flags}) == 0;
  for (const Attr& attr : attrs) {
    Bytes payload;
    const bool found = find_payload(attributes, attr.row->attribute, payload);
    if (attr.row->attribute == NDA_DST) {
      if (!found || !equal(attr.value.text(), payload)) return Likeness::Other;
    } else if (attr.row->attribute == NDA_FLAGS_EXT) {
      same = same && found && (attr.value.number & ~uint64_t{read_struct<uint32_t>(payload)}) == 0;
    } else {
      same = same && found && is_value(attr, payload);
    }
  }
  return same ? Likeness::Same : Likeness::Settable;
}

std::string address_key(const Operation&, std::span<const Attr> attrs) {
  return std::string(text(find_attr(attrs, IFA_LOCAL)));
}

std::string neighbour_key(const Operation& op, std::span<const Attr> attrs) {
  std::string key(text(find_attr(attrs, NDA_DST)));
  key += (op.header.flags & NTF_PROXY) != 0 ? 'p' : 'n';
  return key += op.name;
}

}  // namespace netbatch
