// A link as an RTM_NEWLINK reply shows it, against options that a script gives.
#pragma once

#include <functional>

#include "interpreter/operation.hpp"
#include "interpreter/transport.hpp"
#include "netlink/ack.hpp"

namespace netbatch {

using netlink::attributes_after;
using netlink::find_payload;
using netlink::payload_of;
using netlink::read_struct;
using netlink::text_of;

class PresentLink {
 public:
  explicit PresentLink(const Message& message);

  int index() const { return index_; }
  std::string_view kind() const { return kind_; }
  // Of the master: `bridge` for a port of a bridge; empty without one.
  std::string_view port_kind() const { return port_kind_; }
  // IFLA_LINK: the link below, or a veth's peer; 0 when there is none.
  int lower() const { return lower_; }
  bool lower_is_elsewhere() const { return lower_is_elsewhere_; }
  uint32_t group() const { return group_; }
  uint32_t flags() const { return flags_; }
  std::vector<std::string_view> alternative_names() const;

  // The payload of the option's attribute.
  std::span<const std::byte> find(const Attr& attr, const Kind* kind, bool& found) const;

  // Whether the option says what is so already. `index_of` gives the index of a link that the option names, 0 when it
  // is not there.
  bool has(const Attr& attr, const Kind* kind, const std::function<int(std::string_view)>& index_of) const;

 private:
  using Bytes = std::span<const std::byte>;

  Bytes attributes_;
  Bytes data_;
  Bytes port_data_;
  Bytes inet6_;
  int index_ = 0;
  uint32_t flags_ = 0;
  std::string_view kind_;
  std::string_view port_kind_;
  int lower_ = 0;
  bool lower_is_elsewhere_ = false;
  uint32_t group_ = 0;
};

// The top-level option of this attribute, or null.
const Attr* find_attr(std::span<const Attr> attrs, uint16_t attribute);
// Whether the kernel's payload is the value that the option would send.
bool is_value(const Attr& attr, std::span<const std::byte> payload);

}  // namespace netbatch
