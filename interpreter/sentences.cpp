#include "interpreter/sentences.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

namespace netbatch {
namespace {

struct AdviceRow {
  int error;
  std::optional<Object> object;
  std::optional<Verb> verb;
  Advice advice;
};

constexpr Option kAny = Option::Other;

// The first row that fits: one that names an option fits only where the statement has it. Source: the errors of
// net/core/rtnetlink.c, net/core/dev.c, net/ipv4/devinet.c, net/ipv4/fib_semantics.c, net/bridge/br_if.c, as run.
constexpr AdviceRow kRows[] = {
    {EEXIST, Object::Link, Verb::Add, {"a link of this name exists already"}},
    {EEXIST, Object::Link, Verb::Set, {"a link has this name already", Option::Name}},
    {EEXIST, Object::Link, Verb::Set, {"a link in that namespace has this name already", Option::Netns}},
    {EEXIST, Object::Link, Verb::AddName, {"a link has this name already"}},
    {EEXIST, Object::Addr, {}, {"the link has this address already"}},
    {EEXIST, Object::Route, {}, {"the route exists already"}},
    {EEXIST, Object::Netns, {}, {"a namespace of this name exists already", kAny, true}},
    {ENODEV, {}, {}, {"there is no such link"}},
    {ENOENT, Object::Netns, {}, {"there is no namespace of this name", kAny, true}},
    {ESRCH, Object::Route, {}, {"there is no such route", kAny, true}},
    {ENOENT, Object::Route, {}, {"there is no such route"}},
    {ENETUNREACH,
     Object::Route,
     {},
     {"no link reaches the gateway: give a link an address in its network first, or say 'onlink'", kAny, true}},
    {EHOSTUNREACH,
     Object::Route,
     {},
     {"no link reaches the gateway: give a link an address in its network first", kAny, true}},
    {ENETDOWN, Object::Route, {}, {"the link is down; set it up first", Option::Dev, true}},
    {ENETDOWN, Object::Route, {}, {"the link is down; set it up first", kAny, true}},
    {EADDRNOTAVAIL, Object::Addr, Verb::Delete, {"the link does not have this address", kAny, true}},
    {EADDRNOTAVAIL,
     Object::Link,
     {},
     {"a link cannot have this MAC address (is it a multicast address, or zero?)", Option::Address}},
    {EXFULL, Object::Link, {}, {"the bridge is full: it takes 1,023 ports", Option::Master, true}},
    {EBUSY, Object::Link, {}, {"the link is in use: it has another master, or must be down first", Option::Master}},
    {EBUSY, Object::Link, {}, {"the link is in use: it must be down first"}},
    {ELOOP, Object::Link, {}, {"the links would form a loop", Option::Master}},
    {EOPNOTSUPP, Object::Link, Verb::Delete, {"this kind of link cannot be deleted"}},
    {EOPNOTSUPP, Object::Link, {}, {"that link cannot be a master, or not of this kind of link", Option::Master}},
    {EOPNOTSUPP, Object::Link, {}, {"this kind of link cannot do that"}},
    {EINVAL, Object::Link, {}, {"the link cannot have this MTU", Option::Mtu}},
    {EINVAL, Object::Link, {}, {"the kernel does not take these values for this link"}},
    {EINVAL, Object::Netns, {}, {"not a name for a namespace", kAny, true}},
    {ENOTCONN, Object::Link, {}, {"the other end of the pair is not there yet"}},
    {ENAMETOOLONG, {}, {}, {"the name is too long"}},
    {EPERM, {}, {}, {"not permitted: this needs CAP_NET_ADMIN (run as root, or with --sandbox)", kAny, true}},
    {EACCES, {}, {}, {"not permitted: this needs root (or --sandbox)", kAny, true}},
    {ENOBUFS, {}, {}, {"the kernel dropped its answer; whether this was done is not known"}},
    {ETIMEDOUT, {}, {}, {"the kernel did not answer; whether this was done is not known"}},
    {EMFILE, {}, {}, {"too many open files: RLIMIT_NOFILE is too low"}},
};

}  // namespace

const Attr* find_option(Option option, const Operation& operation, const Operations& owner) {
  for (const AttrRange range : {operation.attrs, operation.peer_attrs})
    for (const Attr& attr : owner.of(range))
      if (attr.row->option == option) return &attr;
  return nullptr;
}

Advice advise(int error, const Operation& operation, const Operations& owner) {
  for (const AdviceRow& row : kRows) {
    if (row.error != error || row.object.value_or(operation.object) != operation.object) continue;
    if (row.verb.value_or(operation.verb) != operation.verb) continue;
    if (row.advice.option == kAny || find_option(row.advice.option, operation, owner) != nullptr) return row.advice;
  }
  return {strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error"};
}

std::string_view errno_name(int error) { return strerrorname_np(error) ? strerrorname_np(error) : "unknown error"; }

}  // namespace netbatch
