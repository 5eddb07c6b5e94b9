// What a link was, against what it is: RTM_NEWLINK replies compared attribute by attribute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/transport.hpp"
#include "netlink/message.hpp"

namespace netbatch {

void append_attribute(Message& message, uint16_t type, std::span<const std::byte> payload);

int link_index_of(const Message& link);
uint32_t mtu_of(const Message& link);
bool is_up(const Message& link);
std::string_view link_name_of(const Message& link);  // in the message
std::string_view link_kind_of(const Message& link);

// What the functions below need of a link, a fifth of what the kernel shows.
Message settable_part(const Message& link);

// Appends the RTM_NEWLINK that sets link `now` back to what it was; false, and nothing, when there is no difference in
// what can be set. `port_options`: only those of IFLA_INFO_SLAVE_DATA, which the kernel takes once the link is a port.
bool put_link_difference(netlink::MessageBuffer& buffer, uint32_t sequence, const Message& was, const Message& now,
                         bool port_options);

// The other end of a veth: its state, its name, and a descriptor of its namespace, or its PID (-1 and 0: the same
// namespace).
struct Peer {
  const Message* was = nullptr;
  std::string name;
  int netns = -1;
  int pid = 0;
};

// Appends the RTM_NEWLINK that makes a link as `was`, without its addresses. False for a kind that cannot be made.
bool put_link_again(netlink::MessageBuffer& buffer, uint32_t sequence, const Message& was, const Peer& peer,
                    bool same_index);

// The alternative names that one has and the other has not.
std::vector<std::string> names_missing(const Message& in, const Message& of);

// The index of the link below, or of a veth's peer, when it is in the same namespace; 0 otherwise.
int lower_in_namespace(const Message& link);

// The same when that is in another namespace, with the number by which this one knows it.
struct Elsewhere {
  int index = 0;
  int netns = -1;
};
std::optional<Elsewhere> lower_elsewhere(const Message& link);

int master_of(const Message& link);  // its index; 0: none
uint32_t group_of(const Message& link);

}  // namespace netbatch
