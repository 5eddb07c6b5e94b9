#pragma once

#include <cstdint>

namespace netbatch {

// What a run did: `netbatch run --stats`.
struct Stats {
  uint64_t operations = 0;
  uint64_t requests = 0;    // netlink messages that change something
  uint64_t sends = 0;       // sendmsg calls
  uint64_t acks = 0;        // NLMSG_ERROR replies, successes and failures
  uint64_t unexpected = 0;  // replies to nothing that was asked
  uint64_t lookups = 0;     // names that the kernel was asked for
  uint64_t plain = 0;       // statements run one by one after a fused or grouped request failed
  double parse_seconds = 0;
  double plan_seconds = 0;
  double execute_seconds = 0;
};

}  // namespace netbatch
