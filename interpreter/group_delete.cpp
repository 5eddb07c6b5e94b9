#include "interpreter/group_delete.hpp"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <random>

namespace netbatch {
namespace {

// A group that nobody uses: large, random, not 0.
uint32_t fresh_group() {
  static std::mt19937 random{std::random_device{}()};
  return 0x40000000u | (random() & 0x3fffffffu);
}

// RTM_SETLINK with IFLA_GROUP for each link; the first error other than ENODEV.
template <class Group>
int tag(Exchange& exchange, Transport& transport, NsId ns, std::span<const LinkInfo> links, Group&& group_of) {
  int failed = 0;
  auto limit = transport.window(ns);
  const size_t window = std::max<size_t>(1, limit ? *limit : 1);
  netlink::MessageBuffer buffer(window * 64);
  for (size_t first = 0; first < links.size(); first += window) {
    std::vector<Answer> answers(std::min(window, links.size() - first));
    for (size_t i = first; i < first + answers.size(); ++i) {
      const uint32_t sequence = exchange.next_sequence();
      auto* header = static_cast<ifinfomsg*>(buffer.begin(RTM_SETLINK, 0, sequence, sizeof(ifinfomsg)));
      header->ifi_index = links[i].index;
      buffer.put_u32(IFLA_GROUP, group_of(links[i]));
      buffer.end();
    }
    exchange.run(ns, buffer, answers);
    for (const Answer& answer : answers)
      if (answer.error != 0 && answer.error != ENODEV && failed == 0) failed = answer.error;
  }
  return failed;
}

}  // namespace

int delete_together(Exchange& exchange, Transport& transport, NsId ns, std::span<const LinkInfo> links) {
  const uint32_t group = fresh_group();
  int error = tag(exchange, transport, ns, links, [&](const LinkInfo&) { return group; });
  if (error == 0) {
    netlink::MessageBuffer buffer(256);
    buffer.begin(RTM_DELLINK, 0, exchange.next_sequence(), sizeof(ifinfomsg));
    buffer.put_u32(IFLA_GROUP, group);
    buffer.end();
    Answer answer;
    exchange.run(ns, buffer, {&answer, 1});
    error = answer.error;
  }
  if (error == 0 || error == ENODEV) return 0;  // ENODEV: an earlier deletion took the last of them along
  tag(exchange, transport, ns, links, [](const LinkInfo& link) { return link.group; });
  return error;
}

}  // namespace netbatch
