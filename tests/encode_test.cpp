// Operations to messages, read back attribute by attribute.
#include "interpreter/encode.hpp"

#include <doctest/doctest.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <cstring>
#include <set>

#include "netlink/ack.hpp"
#include "tests/support/command_text.hpp"

namespace netbatch::tests {
namespace {

// Links have the indexes 10, 11 … in the order of `links`; the namespace "pid" is a PID, "gone" does not exist.
class FakeResolver : public Resolver {
 public:
  explicit FakeResolver(const Namespaces& namespaces) : namespaces_(namespaces) {}
  netlink::Result<int> link(NsId, std::string_view name) override {
    asked.emplace_back(name);
    if (name == "gone") return netlink::Result<int>::failure(ENODEV);
    return 9 + static_cast<int>(asked.size());
  }
  netlink::Result<int> netns(NsId ns, int* pid) override {
    const std::string& name = namespaces_.name(ns);
    if (name == "gone") return netlink::Result<int>::failure(ENOENT);
    if (name == "77") *pid = 77;
    return name == "77" ? 0 : 5;
  }
  std::vector<std::string> asked;

 private:
  const Namespaces& namespaces_;
};

// The message of one line: its parts as text, nested attributes in brackets.
struct Message {
  explicit Message(const std::string& line, size_t capacity = 4096)
      : text(line), buffer(capacity), resolver(namespaces) {
    REQUIRE(interpret(text.command, 0, namespaces, operations, errors));
    error = encode(operations.list[0], operations, resolver, {7, &marks}, buffer);
    if (!error) REQUIRE(netlink::ReplyReader(buffer.bytes()).next(reply));
  }
  std::string attributes(size_t header, const std::set<std::string>& nests) const {
    return walk(reply.payload.subspan(header), nests, "");
  }
  template <class Header>
  Header header() const {
    Header result;
    std::memcpy(&result, reply.payload.data(), sizeof result);
    return result;
  }
  std::string link() const { return attributes(sizeof(ifinfomsg), {"/18", "/18/2", "/18/5", "/26", "/26/10", "/52"}); }
  std::string addr() const { return attributes(sizeof(ifaddrmsg), {}); }
  std::string route() const { return attributes(sizeof(rtmsg), {"/8"}); }
  std::string marked(size_t index) const { return std::string(text.sources.text(marks[index].span)); }

  CommandText text;
  Namespaces namespaces;
  Operations operations;
  std::vector<grammar::Diagnostic> errors;
  netlink::MessageBuffer buffer;
  FakeResolver resolver;
  std::vector<Mark> marks;
  EncodeError error;
  netlink::Reply reply;

 private:
  static std::string walk(std::span<const std::byte> bytes, const std::set<std::string>& nests,
                          const std::string& path) {
    std::string result;
    netlink::AttributeReader reader(bytes);
    netlink::Attribute attribute;
    while (reader.next(attribute)) {
      const std::string here = path + "/" + std::to_string(attribute.type);
      if (!result.empty()) result += ' ';
      result += std::to_string(attribute.type) + ":";
      if (nests.contains(here)) {
        result += "[" + walk(attribute.payload, nests, here) + "]";
        continue;
      }
      for (const std::byte byte : attribute.payload) {
        constexpr char kDigits[] = "0123456789abcdef";
        result += kDigits[static_cast<size_t>(byte) >> 4];
        result += kDigits[static_cast<size_t>(byte) & 15];
      }
    }
    return result;
  }
};

uint16_t flags_of(const Message& message) { return static_cast<uint16_t>(message.reply.flags & ~NLM_F_REQUEST); }

TEST_CASE("encode: link set names its link") {
  const Message up("link set v0 up mtu 1400 arp off");
  CHECK(up.reply.type == RTM_SETLINK);
  CHECK(up.reply.sequence == 7);
  CHECK(flags_of(up) == 0);
  CHECK(up.link() == "3:763000 4:78050000");
  CHECK(up.header<ifinfomsg>().ifi_index == 0);
  CHECK(up.header<ifinfomsg>().ifi_flags == (IFF_UP | IFF_NOARP));
  CHECK(up.header<ifinfomsg>().ifi_change == (IFF_UP | IFF_NOARP));
  CHECK(up.resolver.asked.empty());
  const Message down("link set v0 down");
  CHECK(down.header<ifinfomsg>().ifi_flags == 0);
  CHECK(down.header<ifinfomsg>().ifi_change == IFF_UP);
  CHECK(Message("link set a-name-of-more-than-15 up").link() == "53:612d6e616d652d6f662d6d6f72652d7468616e2d313500");
}

TEST_CASE("encode: link set by index where a name would mean something else") {
  const Message rename("link set v0 name v1 alias x");
  CHECK(rename.header<ifinfomsg>().ifi_index == 10);
  CHECK(rename.link() == "20:78 3:763100");
  const Message index("link set if7 up");
  CHECK(index.header<ifinfomsg>().ifi_index == 10);
  CHECK(index.link().empty());
  CHECK(index.resolver.asked == std::vector<std::string>{"if7"});
}

TEST_CASE("encode: link set of master, namespace, group, type") {
  CHECK(Message("link set v0 master br0").link() == "3:763000 10:0a000000");
  CHECK(Message("link set v0 nomaster").link() == "3:763000 10:00000000");
  CHECK(Message("link set v0 netns c1").link() == "3:763000 28:05000000");
  CHECK(Message("link set v0 netns 77").link() == "3:763000 19:4d000000");
  CHECK(Message("link set v0 netns c1 index 9").link() == "3:763000 49:09000000 28:05000000");
  CHECK(Message("link set v0 addrgenmode none").link() == "3:763000 26:[10:[8:01]]");
  const Message group("link set group 5 up");
  CHECK(group.reply.type == RTM_NEWLINK);
  CHECK(flags_of(group) == 0);
  CHECK(group.link() == "27:05000000");
  const Message slave("link set v0 type bridge_slave cost 5");
  CHECK(slave.reply.type == RTM_NEWLINK);
  CHECK(slave.link() == "3:763000 18:[5:[3:05000000]]");
  const Message bridge("link set br0 type bridge priority 5");
  CHECK(bridge.link() == "3:62723000 18:[1:627269646765 2:[6:0500]]");
}

TEST_CASE("encode: link add") {
  const Message add("link add v0 index 9 mtu 1400 type dummy");
  CHECK(add.reply.type == RTM_NEWLINK);
  CHECK(flags_of(add) == (NLM_F_CREATE | NLM_F_EXCL));
  CHECK(add.header<ifinfomsg>().ifi_index == 9);
  CHECK(add.link() == "3:763000 4:78050000 18:[1:64756d6d79]");
  CHECK(flags_of(Message("link replace v0 type dummy")) == (NLM_F_CREATE | NLM_F_REPLACE));
  CHECK(Message("link add type dummy").link() == "18:[1:64756d6d79]");
  CHECK(Message("link add link e0 name e.5 type vlan id 5").link() ==
        "3:652e3500 5:0a000000 18:[1:766c616e 2:[1:0500]]");
  CHECK(Message("link add link e name v0 type vlan egress-qos-map 1:2").link() ==
        "3:763000 5:0a000000 18:[1:766c616e 2:[3:0c0001000100000002000000]]");
  CHECK(Message("link add b0 type bridge fdb_flush").link() == "3:623000 18:[1:627269646765 2:[21:]]");
}

TEST_CASE("encode: a peer has a header of its own") {
  const Message pair("link add v0 up type veth peer name v1 up mtu 1300 index 8");
  const std::string peer =
      "00000000"  // family, type
      "08000000"  // index
      "01000000"  // flags
      "01000000"  // change
      "07000300"
      "76310000"
      "08000400"
      "14050000";
  CHECK(pair.link() == "3:763000 18:[1:76657468 2:[1:" + peer + "]]");
  CHECK(pair.header<ifinfomsg>().ifi_flags == IFF_UP);
  CHECK(Message("link add v0 type veth peer").link() ==
        "3:763000 18:[1:76657468 2:[1:00000000000000000000000000000000]]");
  CHECK(Message("link add v0 type veth").link() == "3:763000 18:[1:76657468]");
}

TEST_CASE("encode: link delete, property") {
  const Message gone("link del v0");
  CHECK(gone.reply.type == RTM_DELLINK);
  CHECK(flags_of(gone) == 0);
  CHECK(gone.link() == "3:763000");
  CHECK(Message("link del group 5").link() == "27:05000000");
  const Message names("link property add dev v0 altname a altname b");
  CHECK(names.reply.type == RTM_NEWLINKPROP);
  CHECK(flags_of(names) == (NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND));
  CHECK(names.link() == "3:763000 52:[53:6100 53:6200]");
  CHECK(Message("link property del dev v0 altname a").reply.type == RTM_DELLINKPROP);
}

TEST_CASE("encode: addresses") {
  const Message add("addr add 10.0.0.1/24 dev v0 label v0:1 metric 5");
  CHECK(add.reply.type == RTM_NEWADDR);
  CHECK(flags_of(add) == (NLM_F_CREATE | NLM_F_EXCL));
  CHECK(add.header<ifaddrmsg>().ifa_index == 10);
  CHECK(add.header<ifaddrmsg>().ifa_family == AF_INET);
  CHECK(add.header<ifaddrmsg>().ifa_prefixlen == 24);
  CHECK(add.addr() == "2:0a000001 3:76303a3100 9:05000000 1:0a000001");
  CHECK(flags_of(Message("addr change 10.0.0.1/24 dev v0")) == NLM_F_REPLACE);
  CHECK(flags_of(Message("addr replace 10.0.0.1/24 dev v0")) == (NLM_F_CREATE | NLM_F_REPLACE));
  CHECK(Message("addr del 10.0.0.1/24 dev v0").reply.type == RTM_DELADDR);
  CHECK(Message("addr add fd00::1/64 nodad dev v0").header<ifaddrmsg>().ifa_flags == IFA_F_NODAD);
  const Message flush("-6 addr flush v0 scope link");
  CHECK(flush.reply.type == RTM_GETADDR);
  CHECK(flags_of(flush) == NLM_F_DUMP);
  CHECK(flush.header<ifaddrmsg>().ifa_index == 10);
  CHECK(flush.header<ifaddrmsg>().ifa_family == AF_INET6);
  CHECK(flush.header<ifaddrmsg>().ifa_scope == 0);
}

TEST_CASE("encode: routes") {
  const Message add("route add 10.0.0.0/8 via 10.0.0.1 dev v0 mtu lock 1400 tos 4 metric 7");
  CHECK(add.reply.type == RTM_NEWROUTE);
  CHECK(flags_of(add) == (NLM_F_CREATE | NLM_F_EXCL));
  const auto header = add.header<rtmsg>();
  CHECK(header.rtm_family == AF_INET);
  CHECK(header.rtm_dst_len == 8);
  CHECK(header.rtm_tos == 4);
  CHECK(header.rtm_table == RT_TABLE_MAIN);
  CHECK(header.rtm_protocol == RTPROT_BOOT);
  CHECK(header.rtm_scope == RT_SCOPE_UNIVERSE);
  CHECK(header.rtm_type == RTN_UNICAST);
  CHECK(add.route() == "1:0a000000 5:0a000001 4:0a000000 6:07000000 8:[1:04000000 2:78050000]");
  CHECK(flags_of(Message("route append 10/8 dev v0")) == (NLM_F_CREATE | NLM_F_APPEND));
  CHECK(flags_of(Message("route prepend 10/8 dev v0")) == NLM_F_CREATE);
  CHECK(flags_of(Message("route replace 10/8 dev v0")) == (NLM_F_CREATE | NLM_F_REPLACE));
  CHECK(flags_of(Message("route change 10/8 dev v0")) == NLM_F_REPLACE);
  CHECK(Message("route del 10/8").reply.type == RTM_DELROUTE);
}

TEST_CASE("encode: tunnels take the attribute of the address's family") {
  CHECK(Message("link add x type vxlan id 5 remote fd00::1 dstport 4789").link() ==
        "3:7800 18:[1:76786c616e 2:[1:05000000 16:fd000000000000000000000000000001 15:12b5 7:01]]");
  CHECK(Message("link add x type vxlan id 5 remote 10.0.0.1 dstport 4789").link() ==
        "3:7800 18:[1:76786c616e 2:[1:05000000 2:0a000001 15:12b5 7:01]]");
}

TEST_CASE("encode: what does not resolve or fit leaves the buffer as it was") {
  const Message link("link set v0 master gone");
  CHECK(link.error.what == EncodeError::What::NoLink);
  CHECK(link.error.error == ENODEV);
  CHECK(link.error.name == "gone");
  CHECK(link.text.sources.text(link.error.span) == "master gone");
  CHECK(link.buffer.empty());
  CHECK(link.marks.empty());
  const Message netns("link set v0 netns gone");
  CHECK(netns.error.what == EncodeError::What::NoNetns);
  CHECK(netns.error.error == ENOENT);
  CHECK(netns.namespaces.name(netns.error.ns) == "gone");
  const Message dev("addr add 10.0.0.1 dev gone");
  CHECK(dev.error.what == EncodeError::What::NoLink);
  CHECK(dev.buffer.empty());
  const std::string line = "link add v0 type veth peer name v1 addrgenmode none mtu 1400";
  const size_t whole = Message(line).buffer.bytes().size();
  for (size_t capacity = 0; capacity < whole; ++capacity) {
    const Message small(line, capacity);
    CHECK(small.error.what == EncodeError::What::TooLong);
    CHECK(small.buffer.empty());
  }
}

TEST_CASE("encode: marks say which bytes an option became") {
  const Message set("link set v0 mtu 1400 master br0");
  REQUIRE(set.marks.size() == 3);
  CHECK(set.marked(0) == "v0");
  CHECK(set.marks[0].begin == 32);
  CHECK(set.marks[0].end == 40);
  CHECK(set.marked(1) == "mtu 1400");
  CHECK(set.marks[1].begin == 40);
  CHECK(set.marks[1].end == 48);
  const Message add("link add v0 type bridge priority 5");
  REQUIRE(add.marks.size() == 3);
  CHECK(add.marked(1) == "priority 5");
  CHECK(add.marked(2) == "bridge");
  CHECK(add.marks[2].begin <= add.marks[1].begin);
  CHECK(add.marks[1].end <= add.marks[2].end);
}

}  // namespace
}  // namespace netbatch::tests
