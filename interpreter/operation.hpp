// Operations: what statements ask the kernel to do, typed, with every operand's place in the script.
#pragma once

#include <sys/socket.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "interpreter/arena.hpp"
#include "interpreter/attribute.hpp"

namespace netbatch {

enum class Object : uint8_t { Link, Addr, Route, Neigh, Netns };

enum class Verb : uint8_t {
  Add,      // create; the object must not exist
  Set,      // link set|change, addr change, route change: must exist
  Replace,  // create or change
  Delete,
  Append,   // route append
  Prepend,  // route prepend
  Flush,    // addr flush
  AddName,  // link property add: alternative names
  DeleteName,
  // netbatch's own. They are settled before the plan is made: what remains of them is one of the above, or nothing.
  Ensure,
  Absent,
  EnsureName,  // link property ensure
  AbsentName,
};

// A namespace as the script names it: 0 is the one that netbatch runs in. Interned in Namespaces.
using NsId = uint32_t;

enum class NsForm : uint8_t { Own, NameOrPid, Name };  // Name: after `-n`, `netns add`: never a PID

class Namespaces {
 public:
  Namespaces() { names_.push_back({}); }
  // A path below /run/netns is the name itself.
  NsId intern(std::string_view name) {
    if (name.empty()) return 0;
    for (std::string_view folder : {"/run/netns/", "/var/run/netns/"})
      if (name.starts_with(folder) && name.find('/', folder.size()) == name.npos) name.remove_prefix(folder.size());
    auto [place, added] = ids_.try_emplace(std::string(name), static_cast<NsId>(names_.size()));
    if (added) names_.push_back(place->first);
    return place->second;
  }
  // The same for a word that is a PID where no namespace has that name (`link set X netns 7`).
  NsId intern_or_pid(std::string_view name) {
    if (name.find_first_not_of("0123456789") != name.npos || name.empty() || find(name) != 0) return intern(name);
    auto [place, added] = pids_.try_emplace(std::string(name), static_cast<NsId>(names_.size()));
    if (added) names_.push_back(place->first);
    return place->second;
  }
  bool may_be_pid(NsId id) const {
    auto place = pids_.find(names_[id]);
    return place != pids_.end() && place->second == id;
  }
  // 0 when the script does not name it.
  NsId find(std::string_view name) const {
    auto place = ids_.find(std::string(name));
    return place == ids_.end() ? 0 : place->second;
  }
  const std::string& name(NsId id) const { return names_[id]; }
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, NsId> ids_;
  std::unordered_map<std::string, NsId> pids_;
};

// A value as it is sent. Numbers are in host byte order, except that ValueType::Be16 and Be32 hold what goes on the
// wire as bytes. Names of links and namespaces stay names until they are sent.
struct Value {
  union {
    uint64_t number = 0;
    const char* data;  // size > 0 and `is_data`
  };
  uint32_t size = 0;  // bytes on the wire (of a name: its length)
  bool is_data = false;
  uint8_t family = 0;  // ValueType::Ip: AF_INET or AF_INET6

  static Value of_number(uint64_t number, uint32_t size) {
    Value value;
    value.number = number;
    value.size = size;
    return value;
  }
  static Value of_data(std::string_view bytes) {
    Value value;
    value.data = bytes.data();
    value.size = static_cast<uint32_t>(bytes.size());
    value.is_data = true;
    return value;
  }
  std::string_view text() const { return is_data ? std::string_view(data, size) : std::string_view{}; }
};

// One option of an operation.
struct Attr {
  const Row* row = nullptr;
  Span span;  // the keyword and its value
  Value value;
};

struct Kind;  // a link kind's table: kinds.hpp

// The family header's fields that are not attributes, for addr, route and neigh (ifaddrmsg, rtmsg, ndmsg).
struct FamilyHeader {
  uint8_t family = AF_UNSPEC;
  uint8_t prefix_length = 0;  // ifa_prefixlen, rtm_dst_len
  uint8_t source_length = 0;  // rtm_src_len
  uint8_t tos = 0;
  uint8_t table = 0;
  uint8_t protocol = 0;
  uint8_t scope = 0;
  uint8_t type = 0;
  uint16_t state = 0;  // ndm_state
  uint32_t flags = 0;  // ifa_flags (8 bits), rtm_flags, ndm_flags
};

// The namespace that `netns` gives, as on a link that is made there or moved there.
inline NsId target_of(std::span<const Attr> attrs, NsId otherwise) {
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Netns) return static_cast<NsId>(attr.value.number);
  return otherwise;
}

struct AttrRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Operation {
  Object object = Object::Link;
  Verb verb = Verb::Add;
  NsId ns = 0;               // where it runs
  uint32_t transaction = 0;  // the `transaction { }` that it is in, numbered from 1 in the order of their runs; 0: none
  uint32_t number = 0;       // of the operation among those that were interpreted with it
  Span span;                 // the statement
  // Link: the link acted on (add: its new name). Addr, Neigh: the device. Netns: the namespace's name. Empty: none
  // given.
  std::string_view name;
  Span name_span;
  const Kind* kind = nullptr;  // Link: `type …`; null if none. Without a table: an own Kind with no rows
  Span kind_span;
  AttrRange attrs;             // in Operations::attrs
  bool has_peer = false;       // veth: `peer …`
  std::string_view peer_name;  // empty: the kernel's (or netbatch's) choice
  Span peer_name_span;
  AttrRange peer_attrs;
  FamilyHeader header;
};

// Operations in script order, with what they own.
struct Operations {
  std::vector<Operation> list;
  std::vector<Attr> attrs;
  Arena text;  // values that are not slices of the source

  std::span<const Attr> of(AttrRange range) const { return {attrs.data() + range.first, range.count}; }
  void clear() {
    list.clear();
    attrs.clear();
    text.clear();
  }
};

}  // namespace netbatch
