// A link as an RTM_NEWLINK reply shows it, against options that a script gives.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>

#include "interpreter/operation.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

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
  std::vector<std::string_view> alternative_names() const;

  // Whether the option says what is so already. `index_of` gives the index of a link that the option names, 0 when it
  // is not there.
  bool has(const Attr& attr, const Kind* kind, const std::function<int(std::string_view)>& index_of) const;

 private:
  using Bytes = std::span<const std::byte>;
  Bytes find(const Attr& attr, const Kind* kind, bool& found) const;

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

// The payload of an attribute of this type, and whether there is one.
bool find_payload(std::span<const std::byte> attributes, uint16_t type, std::span<const std::byte>& payload);
// What comes after the family header.
std::span<const std::byte> attributes_after(const Message& message, size_t header_size);
// The top-level option of this attribute, or null.
const Attr* find_attr(std::span<const Attr> attrs, uint16_t attribute);
// The beginning of the bytes as a kernel's struct; what is missing is zero.
template <class Struct>
Struct read_struct(std::span<const std::byte> bytes) {
  Struct data{};
  if (!bytes.empty()) std::memcpy(&data, bytes.data(), std::min(bytes.size(), sizeof data));
  return data;
}
// Whether the kernel's payload is the value that the option would send.
bool is_value(const Attr& attr, std::span<const std::byte> payload);

}  // namespace netbatch
