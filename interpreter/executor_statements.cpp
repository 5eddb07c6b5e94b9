// Statements that are not one netlink message.
#include <arpa/inet.h>
#include <fnmatch.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>

#include "interpreter/executor.hpp"
#include "interpreter/present_family.hpp"
#include "interpreter/present_link.hpp"

namespace netbatch {
namespace {

// The kernel may promote a secondary address when its primary goes, so flushing takes another look. iproute2 does so
// ten times at most.
constexpr int kFlushRounds = 10;

using Bytes = std::span<const std::byte>;

struct Address {
  ifaddrmsg header;
  Bytes local;  // IFA_LOCAL, or IFA_ADDRESS where there is none; in the dump
};

bool covers(std::span<const std::byte> bytes, std::string_view prefix, size_t bits) {
  if (bytes.size() != prefix.size()) return false;
  for (size_t i = 0; i < bits; ++i) {
    const auto mask = static_cast<uint8_t>(0x80u >> (i % 8));
    if ((std::to_integer<uint8_t>(bytes[i / 8]) & mask) != (static_cast<uint8_t>(prefix[i / 8]) & mask)) return false;
  }
  return true;
}

bool passes(const Operation& operation, std::span<const Attr> filters, const Address& address,
            const std::string& label) {
  if (operation.header.family != AF_UNSPEC && operation.header.family != address.header.ifa_family) return false;
  for (const Attr& filter : filters) {
    switch (filter.row->option) {
      case Option::FilterTo:
        if (!covers(address.local, filter.value.text(), operation.header.prefix_length)) return false;
        break;
      case Option::FilterScope:
        if (address.header.ifa_scope != filter.value.number) return false;
        break;
      case Option::FilterLabel:
        if (::fnmatch(std::string(filter.value.text()).c_str(), label.c_str(), 0) != 0) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

}  // namespace

void Executor::netns_statement(uint32_t index) {
  flush();
  if (stopped_) return;
  const Operation& operation = operations_->list[index];
  const NsId ns = namespaces_.find(operation.name);
  const bool creates = operation.verb == Verb::Add;
  std::string what;
  int error = 0;
  highest_sent_ = std::max(highest_sent_, index);
  Recorder::Range noted;
  if (records()) {
    noted = recorder_->note_netns(ns, creates);
    error = write_ahead();
  }
  if (policy_ == Policy::Rollback && noted.first != noted.last && !creates) transport_.keep_netns(ns);
  if (error == 0) error = creates ? transport_.create_netns(ns, &what) : transport_.delete_netns(ns, &what);
  forget_all_names();
  if (records()) recorder_->settle_netns(noted, ns, creates, error == 0);
  if (error != 0) return fail(index, error, operation.name_span, std::move(what));
  done(index);
  if (records()) checkpoint(noted.first);
}

// Two or more `netns add` in a row, at the beginning of `requests`: made together. Returns how many.
size_t Executor::create_namespaces(std::span<const Request> requests) {
  constexpr size_t kMost = 1024;
  std::vector<NsId> namespaces;
  for (const Request& request : requests) {
    if (request.kind != RequestKind::Plain || namespaces.size() == kMost || options_.window == 1) break;
    const Operation& operation = operations_->list[request.operation];
    if (operation.object != Object::Netns || operation.verb != Verb::Add) break;
    namespaces.push_back(namespaces_.find(operation.name));
  }
  if (namespaces.size() < 2) return 0;
  flush();
  std::vector<Recorder::Range> noted(namespaces.size());
  for (size_t i = 0; i < namespaces.size() && records(); ++i) noted[i] = recorder_->note_netns(namespaces[i], true);
  const uint32_t first = requests.front().operation;
  if (const int error = write_ahead(); error != 0) {
    fail(first, error, operations_->list[first].span);
    return namespaces.size();
  }
  std::vector<Transport::NetnsFailure> failures(namespaces.size());
  transport_.create_namespaces(namespaces, failures);
  for (size_t i = 0; i < namespaces.size(); ++i) {
    const uint32_t index = requests[i].operation;
    highest_sent_ = std::max(highest_sent_, index);
    if (records()) recorder_->settle_netns(noted[i], namespaces[i], true, failures[i].error == 0);
    if (failures[i].error == 0)
      done(index);
    else if (!stopped_)
      fail(index, failures[i].error, operations_->list[index].name_span, std::move(failures[i].what));
  }
  forget_all_names();
  show_progress();
  return namespaces.size();
}

// `addr flush dev X`: what a dump shows is deleted, until nothing is left.
void Executor::flush_addresses(uint32_t index) {
  flush();
  if (stopped_) return;
  const Operation& operation = operations_->list[index];
  auto found = link(operation.ns, operation.name);
  if (!found) {
    Failure failure;
    failure.operation = index;
    failure.error = found.error();
    failure.encode = {EncodeError::What::NoLink, found.error(), operation.name_span, operation.name, operation.ns};
    failure.span = operation.name_span;
    return fail(std::move(failure));
  }
  int error = 0;
  if (records()) {
    recorder_->note(operation, *operations_);
    error = record_ahead();
  }
  highest_sent_ = std::max(highest_sent_, index);
  for (int round = 0; round < kFlushRounds && error == 0; ++round) {
    size_t deleted = 0;
    error = delete_addresses(operation, *found, deleted);
    if (deleted == 0) break;
  }
  if (error != 0) return fail(index, error, operation.span);
  done(index);
}

int Executor::delete_addresses(const Operation& operation, int link_index, size_t& deleted) {
  const auto filters = operations_->of(operation.attrs);
  // An address without a label, as those of IPv6, has its link's name for one.
  const std::string link_name(operation.name);
  std::vector<Message> found;
  if (const int error = transport_.dump(operation.ns, RTM_GETADDR, found); error != 0) return error;
  for (const Message& message : found) {
    const Bytes attributes = attributes_after(message, sizeof(ifaddrmsg));
    const Address address{read_struct<ifaddrmsg>(message), local_of(attributes)};
    if (address.header.ifa_index != static_cast<uint32_t>(link_index)) continue;
    Bytes label;
    const bool labelled = find_payload(attributes, IFA_LABEL, label);
    if (!passes(operation, filters, address, labelled ? std::string(text_of(label)) : link_name)) continue;
    auto* header = static_cast<ifaddrmsg*>(buffer_.begin(RTM_DELADDR, 0, exchange_.next_sequence(), sizeof(ifaddrmsg)));
    header->ifa_family = address.header.ifa_family;
    header->ifa_prefixlen = address.header.ifa_prefixlen;
    header->ifa_index = address.header.ifa_index;
    buffer_.put(IFA_LOCAL, address.local.data(), address.local.size());
    buffer_.end();
    const int error = send_one(operation.ns);
    if (error != 0 && error != EADDRNOTAVAIL) return error;  // a secondary address goes with its primary
    ++deleted;
  }
  return 0;
}

// Sends the one message in the buffer; its errno.
int Executor::send_one(NsId ns) {
  Answer answer;
  exchange_.run(ns, buffer_, {&answer, 1});
  return answer.error;
}

}  // namespace netbatch
