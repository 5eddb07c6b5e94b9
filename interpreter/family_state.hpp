// Addresses, routes and neighbours as they were, against what they are.
#pragma once

#include <set>

#include "interpreter/undo_log.hpp"
#include "netlink/message.hpp"

namespace netbatch {

// A request that takes a difference back.
struct Correction {
  uint16_t type = 0;  // RTM_NEWADDR, RTM_DELROUTE …
  uint16_t flags = 0;
  Message message;  // from the family header on
};

// Fills the lists from dumps of the namespace; 0 or errno.
int read_family(Transport& transport, NsId ns, FamilyState& state);

// Whether an RTM_NEWADDR is about an address of fe80::/10.
bool is_link_local(const Message& address);
int address_link(const Message& address);  // the index of its link

// The requests that turn `now` into `was`, deletions first, in an order in which the kernel takes them. Only what is on
// the links `touched` (by index in `now`), and routes where `was.routes_touched`. `index` gives the present index of a
// link by its former one. `addresses_are_back`: `now` has the addresses of `was`, so that a route of an address that is
// missing was taken by a statement.
std::vector<Correction> corrections(const FamilyState& was, const FamilyState& now, const std::set<int>& touched,
                                    const std::map<int, int>& index, bool addresses_are_back);

}  // namespace netbatch
