#include "interpreter/settle.hpp"

#include <fmt/format.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interpreter/settler.hpp"
#include "netlink/ack.hpp"
#include "netlink/message.hpp"
#include "netlink/netns.hpp"

namespace netbatch {

bool TransportReader::has_netns(NsId ns) { return static_cast<bool>(netlink::open_netns(namespaces_.name(ns))); }

int TransportReader::dump(NsId ns, uint16_t type, std::vector<Message>& found) {
  const int error = transport_.dump(ns, type, found);
  return error != 0 || type != RTM_GETNEIGH ? error : dump_proxies(ns, found);
}

int TransportReader::dump_proxies(NsId ns, std::vector<Message>& found) {
  constexpr uint32_t kSequence = 0x7ffffffe;  // nothing else is in flight
  netlink::MessageBuffer request(64);
  auto* header = static_cast<ndmsg*>(request.begin(RTM_GETNEIGH, NLM_F_DUMP, kSequence, sizeof(ndmsg)));
  header->ndm_flags = NTF_PROXY;
  request.end();
  if (const int error = transport_.send(ns, request.bytes()); error != 0) return error;
  std::vector<std::byte> replies(64 * 1024);
  for (;;) {
    auto size = transport_.receive(ns, replies);
    if (!size) return size.error();
    netlink::ReplyReader reader(std::span<const std::byte>(replies).first(*size));
    for (netlink::Reply reply; reader.next(reply);) {
      if (reply.sequence != kSequence) continue;
      if (reply.type == NLMSG_DONE) return 0;
      netlink::Ack ack;
      if (reply.type == NLMSG_ERROR) return netlink::decode_ack(reply, ack) ? ack.error : EBADMSG;
      found.emplace_back(reply.payload.begin(), reply.payload.end());
    }
  }
}

std::vector<Unsettled> settle(Operations& operations, const Namespaces& namespaces, StateReader& reader,
                              std::vector<Difference>* differences) {
  for (uint32_t i = 0; i < operations.list.size(); ++i) operations.list[i].number = i;
  if (std::none_of(operations.list.begin(), operations.list.end(), is_open)) return {};
  return Settler(operations, namespaces, reader, differences).run();
}

Settler::Settler(Operations& operations, const Namespaces& namespaces, StateReader& reader,
                 std::vector<Difference>* differences)
    : operations_(operations), namespaces_(namespaces), ledger_(namespaces, reader), differences_(differences) {}

std::vector<Unsettled> Settler::run() {
  before_.swap(operations_.list);
  read_ahead();
  for (at_ = 0; at_ < before_.size() && ledger_.error() == 0; ++at_) step(before_[at_]);
  if (ledger_.error() != 0)
    refuse(before_[at_ == 0 ? 0 : at_ - 1].span, fmt::format("the present state{} could not be read: {}",
                                                             in(ledger_.error_ns()), strerrordesc_np(ledger_.error())));
  return std::move(unsettled_);
}

// All the links that the statements about links, and those to be settled, name; one exchange for each namespace.
void Settler::read_ahead() {
  std::vector<std::set<std::string_view>> names(namespaces_.size());
  for (const Operation& op : before_) {
    const bool deletes = op.object == Object::Link && op.verb == Verb::Delete;
    if (op.object == Object::Netns || op.name.empty() || (!is_open(op) && !deletes)) continue;
    names[op.ns].insert(op.name);
    if (op.object != Object::Link) continue;
    names[target_of(attrs(op), op.ns)].insert(op.name);
    if (!op.peer_name.empty()) names[target_of(operations_.of(op.peer_attrs), op.ns)].insert(op.peer_name);
    for (const Attr& attr : attrs(op))
      if (attr.row->type == ValueType::Link) names[op.ns].insert(attr.value.text());
  }
  for (NsId ns = 0; ns < names.size(); ++ns)
    ledger_.read(ns, std::vector<std::string_view>(names[ns].begin(), names[ns].end()));
}

void Settler::step(const Operation& op) {
  if (differences_ != nullptr && is_open(op)) differences_->push_back({op, Effect::Nothing, {}});
  switch (op.object) {
    case Object::Netns:
      return netns(op);
    case Object::Link:
      if (op.verb == Verb::Ensure) return ensure_link(op);
      if (op.verb == Verb::Absent) return absent_link(op);
      if (op.verb == Verb::EnsureName || op.verb == Verb::AbsentName) return ensure_names(op);
      return emit(op);
    case Object::Addr:
      return is_open(op) ? address(op) : emit(op);
    case Object::Route:
      return is_open(op) ? route(op) : emit(op);
    case Object::Neigh:
      return is_open(op) ? neighbour(op) : emit(op);
  }
}

void Settler::netns(const Operation& op) {
  const NsId ns = namespaces_.find(op.name);
  const bool wanted = op.verb == Verb::Ensure || op.verb == Verb::Add;
  Operation plain = op;
  plain.verb = wanted ? Verb::Add : Verb::Delete;
  if (!is_open(op) || ledger_.has_netns(ns) != wanted) emit(plain);
}

// Appends an operation of the plan-to-be, and notes what it does.
void Settler::emit(Operation op) {
  op.number = before_[at_].number;
  op.transaction = before_[at_].transaction;
  operations_.list.push_back(op);
  note_effect(op.verb);
  if (op.object == Object::Link) return observe_link(op);
  if (op.object != Object::Netns) return observe_family(op);
  ledger_.set_netns(namespaces_.find(op.name), op.verb == Verb::Add);
}

void Settler::emit(Operation op, std::span<const Attr> attrs) {
  const std::vector<Attr> copy(attrs.begin(), attrs.end());
  op.attrs = {static_cast<uint32_t>(operations_.attrs.size()), static_cast<uint32_t>(copy.size())};
  operations_.attrs.insert(operations_.attrs.end(), copy.begin(), copy.end());
  emit(op);
}

void Settler::refuse(Span span, std::string message) {
  const Operation& op = before_[std::min<size_t>(at_, before_.size() - 1)];
  if (Difference* difference = this->difference(); difference != nullptr) difference->effect = Effect::Refuse;
  unsettled_.push_back({op.number, op.transaction, {.span = span, .message = std::move(message)}});
}

std::string Settler::in(NsId ns) const {
  return ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces_.name(ns));
}

}  // namespace netbatch
