// Reading the state of all namespaces through ip(8), which netbatch shares no code with.
#pragma once

#include <nlohmann/json.hpp>

namespace netbatch::compare {

// Waits until carrier changes have reached every link of the calling process's namespace and of those in /run/netns,
// then reads them all. {"main": {"link": [...], "addr": ..., "route": ..., "neigh": ..., "proxy": ..., "heard": ...,
// "rule": ..., "nsid": ...}, "c1": {...}}. Throws std::runtime_error when ip cannot be run or says something that is
// not JSON.
nlohmann::json dump_namespaces();

}  // namespace netbatch::compare
