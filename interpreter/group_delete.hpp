// Many links deleted by one request: an RTM_DELLINK waits for RCU (about 17 ms) once, however many links it deletes.
#pragma once

#include "interpreter/exchange.hpp"

namespace netbatch {

// Tags the links (by index) with one fresh IFLA_GROUP and deletes that group. 0, or the first errno: then none was
// deleted and the tags are taken back. Links that are gone already are no error.
int delete_together(Exchange& exchange, Transport& transport, NsId ns, std::span<const LinkInfo> links);

}  // namespace netbatch
