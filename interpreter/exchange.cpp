#include "interpreter/exchange.hpp"

namespace netbatch {
namespace {

constexpr size_t kReplySize = 64 * 1024;

}  // namespace

Exchange::Exchange(Transport& transport, Stats& stats) : transport_(transport), stats_(stats), replies_(kReplySize) {}

// When the reply to the last request is there, so are all the others, and a request without one has succeeded.
void Exchange::run(NsId ns, netlink::MessageBuffer& buffer, std::span<Answer> answers) {
  buffer.add_flags_to_last(NLM_F_ACK);
  ++stats_.sends;
  stats_.requests += answers.size();
  const int error = transport_.send(ns, buffer.bytes());
  buffer.clear();
  if (error != 0) {
    for (Answer& answer : answers) answer = {Answer::State::Answered, error};
    return;
  }
  while (answers.back().state == Answer::State::Silent) {
    auto size = transport_.receive(ns, replies_);
    if (!size) {
      for (Answer& answer : answers)
        if (answer.state == Answer::State::Silent) answer = {Answer::State::Lost, size.error()};
      return;
    }
    netlink::ReplyReader reader(std::span<const std::byte>(replies_).first(*size));
    netlink::Ack ack;
    for (netlink::Reply reply; reader.next(reply);)
      if (netlink::decode_ack(reply, ack)) account(ack, answers);
  }
  for (Answer& answer : answers) answer.state = Answer::State::Answered;
}

void Exchange::account(const netlink::Ack& ack, std::span<Answer> answers) {
  const uint32_t place = ack.sequence - (sequence_ + 1 - static_cast<uint32_t>(answers.size()));
  if (place >= answers.size() || answers[place].state == Answer::State::Answered) {
    ++stats_.unexpected;
    return;
  }
  ++stats_.acks;
  answers[place] = {Answer::State::Answered, ack.error, ack.offset, ack.error != 0 ? std::string(ack.message) : ""};
}

}  // namespace netbatch
