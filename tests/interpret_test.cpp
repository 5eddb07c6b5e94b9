// Words to operations: what iproute2 means by them.
#include <doctest/doctest.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "interpreter/kinds.hpp"
#include "interpreter/names.hpp"
#include "interpreter/value.hpp"
#include "tests/support/command_text.hpp"

namespace netbatch::tests {
namespace {

// The one operation of a line. `say` prints its options as KEYWORD=VALUE.
struct One {
  explicit One(const std::string& line, NsId block = 0) : text(line) {
    namespaces.intern("block");
    REQUIRE(interpret(text.command, block, namespaces, operations, errors));
    REQUIRE(operations.list.size() == 1);
    op = operations.list[0];
  }
  std::string say() const { return say(op.attrs); }
  std::string say(AttrRange range) const {
    std::string result;
    for (const Attr& attr : operations.of(range)) {
      if (!result.empty()) result += ' ';
      result += std::string(attr.row->keyword) + '=' + value(attr);
    }
    return result;
  }
  const Attr* find(std::string_view keyword) const {
    for (const Attr& attr : operations.of(op.attrs)) {
      if (attr.row->keyword == keyword) return &attr;
    }
    return nullptr;
  }

  CommandText text;
  Namespaces namespaces;
  Operations operations;
  std::vector<grammar::Diagnostic> errors;
  Operation op;

 private:
  static std::string value(const Attr& attr) {
    if (!attr.value.is_data) return std::to_string(attr.value.number);
    const bool is_text =
        attr.row->type == ValueType::Text || attr.row->type == ValueType::TextNul || attr.row->type == ValueType::Link;
    if (is_text) return std::string(attr.value.text());
    std::string hex;
    for (const char c : attr.value.text()) {
      constexpr char kDigits[] = "0123456789abcdef";
      hex += kDigits[static_cast<unsigned char>(c) >> 4];
      hex += kDigits[c & 15];
    }
    return hex;
  }
};

std::string said(const std::string& line) { return One(line).say(); }

TEST_CASE("interpret: objects and verbs in ip's abbreviations") {
  CHECK(One("l a dev v0 type veth").op.verb == Verb::Add);
  CHECK(One("lin s v0 up").op.verb == Verb::Set);
  CHECK(One("link c v0 up").op.verb == Verb::Set);
  CHECK(One("link r v0 type bridge").op.verb == Verb::Replace);
  CHECK(One("link d v0").op.verb == Verb::Delete);
  CHECK(One("a a 10.0.0.1 dev v0").op.object == Object::Addr);
  CHECK(One("address chg 10.0.0.1 dev v0").op.verb == Verb::Set);
  CHECK(One("r a default via 10.0.0.1").op.object == Object::Route);
  CHECK(One("route prep default dev v0").op.verb == Verb::Prepend);
  CHECK(One("route app default dev v0").op.verb == Verb::Append);
  CHECK(One("netn del x").op.object == Object::Netns);
  CHECK(One("addr f v0").op.verb == Verb::Flush);
}

TEST_CASE("interpret: what stands before the object") {
  CHECK(One("ip link set v0 up").op.ns == 0);
  CHECK(One("/sbin/ip -o -br -color=always link set v0 up").op.name == "v0");
  CHECK(One("link set v0 up", 1).op.ns == 1);
  const One with_n("-n foo link set v0 up");
  CHECK(with_n.namespaces.name(with_n.op.ns) == "foo");
  const One exec("ip netns exec foo ip -n bar -6 route add default dev v0");
  CHECK(exec.namespaces.name(exec.op.ns) == "bar");
  CHECK(exec.op.header.family == AF_INET6);
  const One nested("netns exec foo /usr/sbin/ip netns exec bar ip link set v0 up", 1);
  CHECK(nested.namespaces.name(nested.op.ns) == "bar");
  CHECK(One("ip -fam inet -- addr add 10.0.0.1 dev v0").op.header.family == AF_INET);
}

TEST_CASE("interpret: a link's name") {
  CHECK(One("link add v0 type veth").op.name == "v0");
  CHECK(One("link add name v0 type veth").op.name == "v0");
  CHECK(One("link add dev v0 type veth").op.name == "v0");
  CHECK(One("link add dev v0 name v0 type veth").op.name == "v0");
  CHECK(One("link add type veth").op.name.empty());
  CHECK(One("link add n type veth").say() == "nomaster=0");
  CHECK(One("link add \"up\" type veth").op.name == "up");
  CHECK(One("link set dev v0 \"up\"").say() == "up=1");
  CHECK(One("link set dev up up").op.name == "up");
  CHECK(One("link set a23456789012345678 up").op.name == "a23456789012345678");
  CHECK(One("link set v0 name v1").say() == "name=v1");
  CHECK(One("link set v0 name v1").op.name == "v0");
  CHECK(One("link set name v1 dev v0").say() == "name=v1");
  CHECK(said("link set v0 name v0 up") == "up=1");
  CHECK(One("link set name v1 up").op.name == "v1");
  CHECK(said("link set name v1 up") == "up=1");
}

TEST_CASE("interpret: link options") {
  CHECK(said("link set v0 mtu 02000 qlen 0x10 alias foo group default") == "mtu=1024 qlen=16 alias=foo group=0");
  CHECK(said("link set v0 address 2:0:0:a:B:1 brd ff:ff:ff:ff:ff:ff") == "address=0200000a0b01 brd=ffffffffffff");
  CHECK(said("link set v0 m br0") == "master=br0");
  CHECK(said("link set v0 master br0 nomaster") == "nomaster=0");
  CHECK(said("link set v0 up down") == "down=0");
  CHECK(said("link set v0 arp off arp on promisc on trailers off") == "arp=0 promisc=1 trailers=1");
  CHECK(said("link set v0 t 5") == "txqueuelen=5");
  CHECK(said("link set v0 addrg NONE state up mode dormant carrier off") == "addrgenmode=1 state=6 mode=1 carrier=0");
  CHECK(said("link set v0 link eth0 up") == "up=1");
  CHECK(said("link add link eth0 v0 type macvlan") == "link=eth0");
  CHECK(said("link add v0 index 7 type veth") == "index=7");
  const One moved("link set v0 netns 7");
  CHECK(moved.namespaces.name(static_cast<NsId>(moved.find("netns")->value.number)) == "7");
  const One group("link set group 5 up");
  CHECK(group.op.name.empty());
  CHECK(group.say() == "group=5 up=1");
  CHECK(One("link del group 5").op.verb == Verb::Delete);
}

TEST_CASE("interpret: the span of an option covers its value") {
  const One one("link set v0 mtu 1400 up");
  CHECK(one.text.sources.text(one.find("mtu")->span) == "mtu 1400");
  CHECK(one.text.sources.text(one.find("up")->span) == "up");
  CHECK(one.text.sources.text(one.op.name_span) == "v0");
}

TEST_CASE("interpret: kinds and peers") {
  const One pair("link add v0 mtu 1400 type veth peer name v1 mtu 1300 netns c1");
  CHECK(pair.op.kind->name == "veth");
  CHECK(pair.op.has_peer);
  CHECK(pair.op.peer_name == "v1");
  CHECK(pair.say() == "mtu=1400");
  CHECK(pair.say(pair.op.peer_attrs) == "mtu=1300 netns=2");
  CHECK(One("link add v0 type veth peer").op.has_peer);
  CHECK(One("link add v0 type veth peer v1").op.peer_name == "v1");
  CHECK_FALSE(One("link add v0 type veth").op.has_peer);
  const One own("link add v0 type strange");
  CHECK(own.op.kind->name == "strange");
  CHECK(find_kind("strange") == nullptr);
  CHECK(said("link add b0 type bridge prio 1 vlan_protocol 802.1ad no_linklocal_learn 1 mcast_vlan_snooping 0") ==
        "priority=1 vlan_protocol=43144 mcast_vlan_snooping=12884901889");
  CHECK(said("link add link e v0 type vlan id 5 gvrp on reorder_hdr off") == "link=e id=5 reorder_hdr=12884901890");
  CHECK(said("link add link e v0 type macvlan nodst") == "link=e nodst=2");
  CHECK(said("link add link e v0 type ipvlan mode l3s") == "link=e mode=2 bridge=0");
  CHECK(said("link set v0 type bridge_slave hairpin on nobackup_port") == "hairpin=1 nobackup_port=0");
  CHECK(One("link set v0 type bridge_slave cost 1").op.kind->slave);
  CHECK(said("link add v0 type vrf table main") == "table=254");
  CHECK(said("link add v0 type bond mode 4 lacp_rate fast") == "mode=4 lacp_rate=1");
  CHECK(said("link add v0 type vxlan id 7 remote 10.0.0.1 dstport 4789") ==
        "id=7 remote=0a000001 dstport=46354 learning=1");
  CHECK(said("link add v0 type vxlan external") == "external=1 learning=0");
  CHECK(said("link set v0 type vxlan ageing none") == "ageing=0");
}

TEST_CASE("interpret: blocks hold more words of the same command") {
  const One bridge("link add br0 type bridge { up\n mtu 1500\n forward_delay 400 }");
  CHECK(bridge.say() == "up=1 mtu=1500 forward_delay=400");
  CHECK(One("link set v0 { mtu 1400\n up }").say() == "mtu=1400 up=1");
  const One pair("link add v0 up type veth peer { name eth0\n mtu 1400 }");
  CHECK(pair.op.peer_name == "eth0");
  CHECK(pair.say(pair.op.peer_attrs) == "mtu=1400");
  const One inside("link add v0 type veth { peer { name eth0\n mtu 1400 }\n mtu 1500 }");
  CHECK(inside.say() == "mtu=1500");
  CHECK(inside.say(inside.op.peer_attrs) == "mtu=1400");
  const One line("link add v0 type veth { peer name eth0 mtu 1400\n mtu 1500 }");
  CHECK(line.say() == "mtu=1500");
  CHECK(line.say(line.op.peer_attrs) == "mtu=1400");
  CHECK(One("link add { v0\n type bridge }").op.name == "v0");
}

TEST_CASE("interpret: alternative names") {
  const One add("link property add dev v0 altname one altn two");
  CHECK(add.op.verb == Verb::AddName);
  CHECK(add.op.name == "v0");
  CHECK(add.say() == "altname=one altname=two");
  CHECK(One("link prop del v0 altname one").op.verb == Verb::DeleteName);
}

TEST_CASE("interpret: addresses") {
  const One plain("addr add 10.1/16 dev v0");
  CHECK(plain.op.name == "v0");
  CHECK(plain.op.header.prefix_length == 16);
  CHECK(plain.op.header.family == AF_INET);
  CHECK(plain.say() == "local=0a010000 peer=0a010000");
  CHECK(One("addr add 10.0.0.1/255.255.255.0 dev v0").op.header.prefix_length == 24);
  CHECK(said("addr add 10.0.0.9/24 brd + dev v0") == "local=0a000009 peer=0a000009 broadcast=0a0000ff");
  CHECK(said("addr add 10.0.0.9/24 brd - dev v0") == "local=0a000009 peer=0a000009 broadcast=0a000000");
  CHECK(said("addr add 10.0.0.9/31 brd + dev v0") == "local=0a000009 peer=0a000009");
  const One peer("addr add 10.0.0.1 peer 10.0.0.2/30 dev v0");
  CHECK(peer.op.header.prefix_length == 30);
  CHECK(peer.say() == "local=0a000001 peer=0a000002");
  CHECK(said("addr del 10.0.0.1 dev v0") == "local=0a000001");
  CHECK(One("addr add 127.0.0.2/8 dev lo").op.header.scope == RT_SCOPE_HOST);
  CHECK(One("addr add 127.0.0.2/8 scope global dev lo").op.header.scope == RT_SCOPE_UNIVERSE);
  CHECK(One("addr add fd00::1/64 nodad dev v0").op.header.flags == IFA_F_NODAD);
  CHECK(One("addr add nodad fd00::1/64 dev v0").op.header.flags == 0);
  CHECK(One("-6 addr add nodad fd00::1/64 dev v0").op.header.flags == IFA_F_NODAD);
  CHECK(said("addr add 10.0.0.1/24 noprefixroute dev v0") == "local=0a000001 peer=0a000001 flags=512");
  CHECK(said("addr add 10.0.0.1 valid_lft 5 preferred_lft 4 dev v0") ==
        "local=0a000001 peer=0a000001 valid_lft=04000000050000000000000000000000");
  const One flush("addr flush dev v0 scope link to 10.0.0.0/8 label v0:1");
  CHECK(flush.op.header.prefix_length == 8);
  CHECK(flush.say() == "scope=253 to=0a000000 label=v0:1");
}

TEST_CASE("interpret: routes") {
  const One plain("route add 10.1/16 dev v0");
  CHECK(plain.say() == "to=0a010000 dev=v0");
  CHECK(plain.op.header.scope == RT_SCOPE_LINK);
  CHECK(plain.op.header.table == RT_TABLE_MAIN);
  CHECK(plain.op.header.protocol == RTPROT_BOOT);
  CHECK(plain.op.header.type == RTN_UNICAST);
  const One via("route add default via 10.0.0.1");
  CHECK(via.say() == "via=0a000001");
  CHECK(via.op.header.scope == RT_SCOPE_UNIVERSE);
  CHECK(via.op.header.prefix_length == 0);
  CHECK(via.op.header.family == AF_INET);
  CHECK(One("-6 route add default dev v0").op.header.family == AF_INET6);
  CHECK(said("route add 10.0.0.0/8 via inet6 fe80::1 dev v0") ==
        "to=0a000000 via=0a00fe800000000000000000000000000001 dev=v0");
  const One local("route add local 10.0.0.1 dev v0");
  CHECK(local.op.header.table == RT_TABLE_LOCAL);
  CHECK(local.op.header.scope == RT_SCOPE_HOST);
  CHECK(One("route add b 10.0.0.255 dev v0").op.header.type == RTN_BROADCAST);
  CHECK(One("route add blackhole 10.0.0.0/8").op.header.type == RTN_BLACKHOLE);
  const One gone("route del 10.0.0.0/8");
  CHECK(gone.op.header.scope == RT_SCOPE_NOWHERE);
  CHECK(gone.op.header.protocol == 0);
  CHECK(gone.op.header.type == 0);
  const One table("route add 10.0.0.0/8 dev v0 table 1000 proto static tos AF11");
  CHECK(table.op.header.table == 0);
  CHECK(table.find("table")->value.number == 1000);
  CHECK(table.op.header.protocol == RTPROT_STATIC);
  CHECK(table.op.header.tos == 0x28);
  CHECK(One("route add 10.0.0.0/8 dev v0 onlink").op.header.flags == RTNH_F_ONLINK);
  CHECK(said("route add 10.0.0.0/8 dev v0 mtu lock 1300 rtt 100ms m 5") ==
        "to=0a000000 dev=v0 lock=4 mtu=1300 rtt=800 metric=5");
  CHECK(said("route add 10.0.0.0/8 dev v0 pref high realms 3/4") == "to=0a000000 dev=v0 pref=1 realms=196612");
}

TEST_CASE("interpret: the kinds that the planner treats specially") {
  CHECK_FALSE(find_kind("bridge")->fuses_mtu);
  CHECK_FALSE(find_kind("bridge")->movable);
  CHECK(find_kind("vxlan")->underlay);
  CHECK(find_kind("veth")->peer_attribute == 1);
  CHECK(link_row(Option::Alias).fusion.create_order == 0);
  CHECK(link_row(Option::Alias).fusion.inert);
  CHECK(link_row(Option::Down).fusion.order < link_row(Option::Master).fusion.order);
  CHECK(link_row(Option::Master).fusion.order < link_row(Option::Up).fusion.order);
  CHECK(&rename_row() == &link_row(Option::Name));
}

TEST_CASE("values: numbers, addresses") {
  uint64_t number = 0;
  CHECK(read_unsigned("0x10", number) == NumberError::None);
  CHECK(number == 16);
  CHECK(read_unsigned("18446744073709551615", number) == NumberError::None);
  CHECK(read_unsigned("18446744073709551616", number) == NumberError::TooLarge);
  for (const char* bad : {"", "+", "-1", "08", "1x", "0x", " 1", "1 "}) {
    CHECK(read_unsigned(bad, number) == NumberError::NotANumber);
  }
  int64_t with_sign = 0;
  CHECK(read_signed("-9", with_sign) == NumberError::None);
  CHECK(with_sign == -9);
  CHECK(read_signed("-+9", with_sign) == NumberError::NotANumber);
  std::array<uint8_t, 32> bytes;
  CHECK(read_mac("1:2:3:4:5:6", bytes) == 6);
  CHECK(read_mac("10.0.0.1", bytes) == 4);
  for (const char* bad : {"", ":", "1::2", "1:2:", "100", "zz", "1:2:3g"}) CHECK(read_mac(bad, bytes) == 0);
  IpAddress address;
  CHECK(read_ip("10.8", AF_UNSPEC, address));
  CHECK(address.bytes[1] == 8);
  for (const char* bad : {"", ".", "1.2.3.4.5", "256", "1..2", "fe80::1%eth0", "default", "1.2.3.4 "}) {
    CHECK_FALSE(read_ip(bad, AF_UNSPEC, address));
  }
  CHECK_FALSE(read_ip("10.0.0.1", AF_INET6, address));
  IpPrefix prefix;
  CHECK(read_prefix("10/8", AF_UNSPEC, prefix) == PrefixError::None);
  CHECK(read_prefix("10/33", AF_UNSPEC, prefix) == PrefixError::Length);
  CHECK(read_prefix("fd00::/129", AF_UNSPEC, prefix) == PrefixError::Length);
  CHECK(read_prefix("10/255.0.255.0", AF_UNSPEC, prefix) == PrefixError::Length);
  CHECK(read_prefix("10/", AF_UNSPEC, prefix) == PrefixError::Length);
  CHECK(read_prefix("default/8", AF_UNSPEC, prefix) == PrefixError::Length);
}

TEST_CASE("names: the lines of iproute2's files") {
  std::vector<NumberName> names;
  parse_names("# comment\n\n 7\tseven\n0x10 sixteen # why not\nx y\n8\n9 # no name\n11 eleven", names);
  REQUIRE(names.size() == 3);
  CHECK(names[0].name == "seven");
  CHECK(names[0].number == 7);
  CHECK(names[1].name == "sixteen");
  CHECK(names[1].number == 16);
  CHECK(names[2].name == "eleven");
  uint32_t number = 0;
  CHECK(find_name(NameFile::Table, "local", number));
  CHECK(number == 255);
  CHECK(find_name(NameFile::DsField, "10", number));
  CHECK(number == 16);
  CHECK_FALSE(find_name(NameFile::Protocol, "256", number));
}

}  // namespace
}  // namespace netbatch::tests
