// Addresses, routes and neighbours as the kernel lists them, against those of a script.
#pragma once

#include <functional>
#include <string>

#include "interpreter/operation.hpp"
#include "interpreter/transport.hpp"

namespace netbatch {

enum class Likeness : uint8_t {
  Other,      // another one altogether
  Same,       // with all that the script gives
  Settable,   // the same one; a replacing request makes the rest so
  Different,  // the same one; it has to be deleted and added
};

using IndexOf = std::function<int(std::string_view)>;

// `index` is the link's.
Likeness compare_address(const Operation& op, std::span<const Attr> attrs, const Message& message, int index);
// Whether it is the one that the operation would delete; of any prefix length where it gives none.
bool is_address(const Operation& op, std::span<const Attr> attrs, const Message& message, int index);
// Of an address's attributes, IFA_LOCAL, or IFA_ADDRESS where there is none: IPv6 shows it only where there is a peer.
std::span<const std::byte> local_of(std::span<const std::byte> attributes);
uint8_t prefix_length_of(const Message& address);

// For Verb::Absent, Same is what a deletion would find.
Likeness compare_route(const Operation& op, std::span<const Attr> attrs, const Message& message,
                       const IndexOf& index_of);
int route_device(const Message& route);

Likeness compare_neighbour(const Operation& op, std::span<const Attr> attrs, const Message& message, int index);

// What tells one from another in its namespace (an address: on its link).
std::string address_key(const Operation& op, std::span<const Attr> attrs);
std::string route_key(const Operation& op, std::span<const Attr> attrs);
std::string neighbour_key(const Operation& op, std::span<const Attr> attrs);

}  // namespace netbatch
