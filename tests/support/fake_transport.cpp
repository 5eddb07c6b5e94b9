#include "tests/support/fake_transport.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <cerrno>
#include <cstring>

#include "netlink/ack.hpp"
#include "netlink/message.hpp"

namespace netbatch::test {
namespace {

std::string_view type_text(uint16_t type) {
  switch (type) {
    case RTM_NEWLINK:
      return "new";
    case RTM_SETLINK:
      return "set";
    case RTM_DELLINK:
      return "del";
    case RTM_NEWADDR:
      return "addr";
    case RTM_NEWROUTE:
      return "route";
    default:
      return "other";
  }
}

std::string link_text(std::span<const std::byte> payload) {
  ifinfomsg header{};
  std::memcpy(&header, payload.data(), sizeof header);
  std::string link = header.ifi_index != 0 ? fmt::format(" #{}", header.ifi_index) : "";
  std::string rest;
  netlink::AttributeReader attributes(payload.subspan(sizeof header));
  for (netlink::Attribute attribute; attributes.next(attribute);) {
    uint32_t number = 0;
    attribute.u32(number);
    if (attribute.type == IFLA_IFNAME) (link.empty() ? link : rest) += fmt::format(" {}", attribute.text());
    if (attribute.type == IFLA_MTU) rest += fmt::format(" mtu={}", number);
    if (attribute.type == IFLA_MASTER) rest += fmt::format(" master={}", number);
    if (attribute.type == IFLA_LINK) rest += fmt::format(" link={}", number);
    if (attribute.type == IFLA_GROUP) rest += number > 0x3fffffff ? " group=fresh" : fmt::format(" group={}", number);
  }
  if ((header.ifi_change & IFF_UP) != 0) rest += (header.ifi_flags & IFF_UP) != 0 ? " up" : " down";
  return link + rest;
}

std::string message_text(const netlink::Reply& message) {
  std::string text(type_text(message.type));
  if (message.type < RTM_NEWADDR) return text + link_text(message.payload);
  if (message.type == RTM_NEWADDR) {
    ifaddrmsg header{};
    std::memcpy(&header, message.payload.data(), sizeof header);
    text += fmt::format(" #{}", header.ifa_index);
  }
  return text;
}

template <class Handle>
void each_message(std::span<const std::byte> messages, Handle&& handle) {
  netlink::ReplyReader reader(messages);
  for (netlink::Reply message; reader.next(message);) handle(message);
}

}  // namespace

Bytes ack(uint32_t sequence, int error, std::string_view text, uint32_t offset) {
  netlink::MessageBuffer buffer(1024);
  nlmsgerr header{-error, {}};
  std::memcpy(buffer.begin(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, sequence, sizeof header), &header,
              sizeof header);
  if (!text.empty()) buffer.put_string(NLMSGERR_ATTR_MSG, text);
  if (offset != 0) buffer.put_u32(NLMSGERR_ATTR_OFFS, offset);
  buffer.end();
  return {buffer.bytes().begin(), buffer.bytes().end()};
}

std::string messages_text(std::span<const std::byte> messages) {
  std::vector<std::string> texts;
  each_message(messages, [&](const netlink::Reply& message) { texts.push_back(message_text(message)); });
  return fmt::format("{}", fmt::join(texts, "; "));
}

int FakeTransport::send(NsId ns, std::span<const std::byte> messages) {
  const size_t number = sends_++;
  log += fmt::format("send{}: {}\n", ns == 0 ? "" : fmt::format(" in {}", ns), messages_text(messages));
  if (on_send) on_send(number);
  if (send_errors.contains(number)) return send_errors[number];
  if (scripted.contains(number))
    replies_.insert(replies_.end(), scripted[number].begin(), scripted[number].end());
  else
    answer(messages);
  return 0;
}

// As the kernel: every error, and success only where NLM_F_ACK asks.
void FakeTransport::answer(std::span<const std::byte> messages) {
  each_message(messages, [&](const netlink::Reply& message) {
    const std::string text = message_text(message);
    for (Rule& rule : rules) {
      if (rule.times == 0 || !text.starts_with(rule.request)) continue;
      --rule.times;
      replies_.emplace_back(ack(message.sequence, rule.error, rule.text, rule.offset));
      return;
    }
    if ((message.flags & NLM_F_ACK) != 0) replies_.emplace_back(ack(message.sequence));
  });
}

netlink::Result<size_t> FakeTransport::receive(NsId, std::span<std::byte> buffer) {
  using Size = netlink::Result<size_t>;
  if (replies_.empty()) return Size::failure(ETIMEDOUT);
  const Datagram reply = std::move(replies_.front());
  replies_.pop_front();
  if (const int* error = std::get_if<int>(&reply)) return Size::failure(*error);
  const Bytes& bytes = std::get<Bytes>(reply);
  if (bytes.size() != 0) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return bytes.size();
}

LinkInfo FakeTransport::find(NsId ns, std::string_view name) const {
  auto place = links.find({ns, std::string(name)});
  return place == links.end() ? LinkInfo{} : place->second;
}

netlink::Result<int> FakeTransport::link_index(NsId ns, std::string_view name) {
  log += fmt::format("look up: {}\n", name);
  const LinkInfo info = find(ns, name);
  return info.index != 0 ? netlink::Result<int>(info.index) : netlink::Result<int>::failure(ENODEV);
}

int FakeTransport::find_links(NsId ns, std::span<const std::string_view> names, std::vector<LinkInfo>& found) {
  log += fmt::format("find: {}\n", fmt::join(names, " "));
  found.clear();
  for (const std::string_view name : names) found.push_back(find(ns, name));
  return 0;
}

int FakeTransport::read_links(NsId ns, std::span<const std::string_view> names, std::vector<Message>& found) {
  log += fmt::format("read: {}\n", fmt::join(names, " "));
  found.clear();
  for (const std::string_view name : names) found.push_back(states[{ns, std::string(name)}]);
  return 0;
}

int FakeTransport::dump(NsId ns, uint16_t type, std::vector<Message>& found) {
  log += fmt::format("dump {}\n", type);
  found = dumps[{ns, type}];
  return 0;
}

int FakeTransport::link_names(NsId ns, std::vector<std::string>& names) {
  log += "list\n";
  for (const auto& [key, info] : links)
    if (key.first == ns) names.push_back(key.second);
  return 0;
}

netlink::Result<int> FakeTransport::netns(NsId, int* pid) {
  *pid = 0;
  return 100;
}

int FakeTransport::create_netns(NsId ns, std::string*) {
  log += fmt::format("create namespace {}\n", ns);
  return 0;
}

int FakeTransport::delete_netns(NsId ns, std::string*) {
  log += fmt::format("delete namespace {}\n", ns);
  return 0;
}

}  // namespace netbatch::test
