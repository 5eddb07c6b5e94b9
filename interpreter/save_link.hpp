// Links as statements.
#pragma once

#include <string>
#include <vector>

#include "interpreter/save_state.hpp"

namespace netbatch {

// Why no script can make the link, or nothing.
std::string obstacle(const SavedLink& link);

// `link add …` with its pair, if it has one; to be run in `from`, where the link below is, or the link itself.
// `netns` is the name of the link's own namespace where that is another one.
std::string creation(const SavedLink& link, SavedNamespace& from, const std::string& netns,
                     const std::string& peer_netns);

// What a creation cannot say, and does not need the ports of the link to be there; each without a newline.
std::vector<std::string> settings(const SavedLink& link, SavedNamespace& space, bool master_set);
// The rest, when everything has its addresses: up at the end.
std::vector<std::string> last_settings(const SavedLink& link, const SavedNamespace& space);

}  // namespace netbatch
