#include "interpreter/sentences.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

namespace netbatch {
namespace {

struct Sentence {
  int error;
  std::optional<Object> object;
  std::optional<Verb> verb;
  std::string_view text;
};

// The first row that fits. Source: the errors of net/core/rtnetlink.c, net/core/dev.c, net/ipv4/devinet.c,
// net/ipv4/fib_semantics.c, net/bridge/br_if.c, as run.
constexpr Sentence kSentences[] = {
    {EEXIST, Object::Link, Verb::Add, "a link of this name exists already"},
    {EEXIST, Object::Link, Verb::Set, "a link has this name already"},
    {EEXIST, Object::Link, Verb::AddName, "a link has this name already"},
    {EEXIST, Object::Addr, {}, "the link has this address already"},
    {EEXIST, Object::Route, {}, "the route exists already"},
    {EEXIST, Object::Netns, {}, "a namespace of this name exists already"},
    {ENODEV, {}, {}, "there is no such link"},
    {ENOENT, Object::Netns, {}, "there is no namespace of this name"},
    {ESRCH, Object::Route, {}, "there is no such route"},
    {ENOENT, Object::Route, {}, "there is no such route"},
    {ENETUNREACH,
     Object::Route,
     {},
     "no link reaches the gateway: give a link an address in its network first, or 'onlink'"},
    {EHOSTUNREACH, Object::Route, {}, "no link reaches the gateway: give a link an address in its network first"},
    {ENETDOWN, Object::Route, {}, "the link is down; set it up first"},
    {EADDRNOTAVAIL, Object::Addr, Verb::Delete, "the link does not have this address"},
    {EADDRNOTAVAIL, Object::Link, {}, "the link does not take this MAC address (a multicast or zero address?)"},
    {EXFULL, Object::Link, {}, "the bridge has all the ports that it can have (1,023)"},
    {EBUSY, Object::Link, {}, "the link is in use: another master, or it must be down first"},
    {ELOOP, Object::Link, {}, "the links would form a loop"},
    {EOPNOTSUPP, Object::Link, Verb::Add, "this kernel does not know this kind of link"},
    {EOPNOTSUPP, Object::Link, Verb::Delete, "this kind of link cannot be deleted"},
    {EOPNOTSUPP, Object::Link, {}, "this kind of link cannot do that"},
    {EINVAL, Object::Link, {}, "the kernel does not take these values for this link (an MTU out of its range?)"},
    {EINVAL, Object::Netns, {}, "not a name for a namespace"},
    {ENOTCONN, Object::Link, {}, "the other end of the pair is not there yet"},
    {ENAMETOOLONG, {}, {}, "the name is too long"},
    {EPERM, {}, {}, "not permitted: this needs CAP_NET_ADMIN (run as root, or with --sandbox)"},
    {EACCES, {}, {}, "not permitted: this needs root (or --sandbox)"},
    {ENOBUFS, {}, {}, "the kernel dropped its answer; whether this was done is not known"},
    {ETIMEDOUT, {}, {}, "the kernel did not answer; whether this was done is not known"},
    {EMFILE, {}, {}, "too many open files: RLIMIT_NOFILE is too low"},
};

}  // namespace

std::string_view sentence(int error, const Operation& operation) {
  for (const Sentence& row : kSentences)
    if (row.error == error && row.object.value_or(operation.object) == operation.object &&
        row.verb.value_or(operation.verb) == operation.verb)
      return row.text;
  return strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error";
}

std::string_view errno_name(int error) { return strerrorname_np(error) ? strerrorname_np(error) : "unknown error"; }

}  // namespace netbatch
