// One sendmsg of many requests, and the account of every reply.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interpreter/stats.hpp"
#include "interpreter/transport.hpp"
#include "netlink/ack.hpp"
#include "netlink/message.hpp"

namespace netbatch {

// How a request was answered. It starts as Silent; only a reply, or the reply to a later request of the same window,
// makes it Answered.
struct Answer {
  enum class State : uint8_t { Silent, Answered, Lost };
  State state = State::Silent;
  int error = 0;        // errno; of a Lost one: why its reply is missing
  uint32_t offset = 0;  // NLMSGERR_ATTR_OFFS
  std::string text{};   // NLMSGERR_ATTR_MSG
  bool succeeded() const { return state == State::Answered && error == 0; }
};

class Exchange {
 public:
  Exchange(Transport& transport, Stats& stats);

  // A sequence number for the next message; never 0.
  uint32_t next_sequence() { return ++sequence_; }
  uint32_t last_sequence() const { return sequence_; }

  // Sends the messages in `buffer`, which have the sequence numbers that end with last_sequence(), one for each answer,
  // and clears the buffer. The last one asks for an ACK; the kernel answers each that fails.
  void run(NsId ns, netlink::MessageBuffer& buffer, std::span<Answer> answers);

 private:
  void account(const netlink::Ack& ack, std::span<Answer> answers);

  Transport& transport_;
  Stats& stats_;
  std::vector<std::byte> replies_;
  uint32_t sequence_ = 0;
};

}  // namespace netbatch
