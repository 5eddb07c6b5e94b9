#include "interpreter/save.hpp"

#include <fmt/format.h>
#include <linux/if.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "interpreter/kernel_transport.hpp"
#include "interpreter/print.hpp"
#include "interpreter/run.hpp"
#include "interpreter/save_link.hpp"
#include "interpreter/save_text.hpp"
#include "netlink/netns.hpp"

namespace netbatch {
namespace {

// Collects statements, those of one namespace in a row as one block.
class ScriptText {
 public:
  explicit ScriptText(const Namespaces& namespaces) : namespaces_(namespaces) {}

  void add(NsId ns, const std::string& line) {
    if (ns != open_) {
      close();
      if (ns != 0) text_ += fmt::format("netns {} {{\n", word_of(namespaces_.name(ns)));
      open_ = ns;
    }
    text_ += fmt::format("{}{}\n", ns == 0 ? "" : "  ", line);
  }
  void add_all(NsId ns, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) add(ns, line);
  }
  std::string finish() {
    close();
    return std::move(text_);
  }

 private:
  void close() {
    if (open_ != 0) text_ += "}\n";
    open_ = 0;
  }

  const Namespaces& namespaces_;
  std::string text_;
  NsId open_ = 0;
};

class Saver {
 public:
  Saver(const Namespaces& namespaces, std::deque<SavedNamespace>& spaces)
      : namespaces_(namespaces), spaces_(spaces), text_(namespaces) {}

  std::string script() {
    for (const SavedNamespace& space : spaces_)
      if (space.ns != 0) text_.add(0, fmt::format("netns add {}", word_of(namespaces_.name(space.ns))));
    for (SavedNamespace& space : spaces_)
      for (SavedLink& link : space.links) make(link);
    for (SavedNamespace& space : spaces_) complete(space);
    return text_.finish();
  }

 private:
  static bool loopback(const SavedLink& link) { return (link.header.ifi_flags & IFF_LOOPBACK) != 0; }

  SavedNamespace& space_of(NsId ns) {
    return *std::find_if(spaces_.begin(), spaces_.end(), [&](const SavedNamespace& each) { return each.ns == ns; });
  }
  std::string name_beside(NsId ns, NsId from) const { return ns == from ? "" : namespaces_.name(ns); }

  // After what it needs: the link below, and the masters of both ends.
  void make(SavedLink& link) {
    if (loopback(link) || !seen_.insert(&link).second) return;
    if (link.below != nullptr) make(*link.below);
    if (link.master != nullptr) make(*link.master);
    SavedLink* peer = link.peer;
    if (peer != nullptr && !seen_.insert(peer).second) return;
    if (peer != nullptr && peer->master != nullptr) make(*peer->master);
    // Of a pair, the kernel makes the peer first, so the other end has the higher index.
    const bool turned =
        peer != nullptr && (peer->ns == link.ns ? peer->header.ifi_index > link.header.ifi_index : peer->ns < link.ns);
    write(turned ? *peer : link);
  }

  void write(SavedLink& link) {
    const NsId from = link.below != nullptr ? link.below->ns : link.ns;
    std::string why = obstacle(link);
    if (why.empty() && link.ns == 0 && from != 0) why = "no namespace has a name for the one that it is in";
    if (!why.empty()) return text_.add(link.ns, fmt::format("# link {}: {}", link.name, why));
    made_.insert(&link);
    if (link.ns == from && link.master != nullptr && made_.contains(link.master)) enslaved_.insert(&link);
    SavedNamespace& space = space_of(from);
    std::string peer_netns;
    if (link.peer != nullptr) {
      made_.insert(link.peer);
      peer_netns = name_beside(link.peer->ns, from);
    }
    text_.add(from, creation(link, space, name_beside(link.ns, from), peer_netns));
  }

  void complete(SavedNamespace& space) {
    for (SavedLink& link : space.links)
      if (made_.contains(&link) || loopback(link))
        text_.add_all(space.ns, settings(link, space, enslaved_.contains(&link)));
    text_.add_all(space.ns, address_statements(space));
    for (SavedLink& link : space.links)
      if (made_.contains(&link) || loopback(link)) text_.add_all(space.ns, last_settings(link, space));
    text_.add_all(space.ns, route_statements(space));
    text_.add_all(space.ns, neighbour_statements(space));
  }

  const Namespaces& namespaces_;
  std::deque<SavedNamespace>& spaces_;
  ScriptText text_;
  std::set<const SavedLink*> seen_;
  std::set<const SavedLink*> made_;
  std::set<const SavedLink*> enslaved_;  // by their creation
};

}  // namespace

std::optional<std::string> save(const SaveOptions& options, std::string& error) {
  Namespaces namespaces;
  std::deque<SavedNamespace> spaces;
  spaces.emplace_back().ns = options.netns.empty() ? 0 : namespaces.intern(options.netns);
  if (options.all)
    for (const std::string& name : netlink::netns_names()) spaces.emplace_back().ns = namespaces.intern(name);
  KernelTransport transport(namespaces);
  std::set<uint32_t> identities;
  for (auto space = spaces.begin(); space != spaces.end();) {
    const auto identity = transport.identity(space->ns);
    if (!identity && !options.all) {
      error = fmt::format("cannot open namespace '{}': {}", options.netns, std::strerror(identity.error()));
      return {};
    }
    // A file that is no namespace any more, or another name of one.
    const bool is_new = identity && identities.insert(*identity).second;
    space = is_new ? space + 1 : spaces.erase(space);
  }
  if (const int failure = read_state(transport, spaces); failure != 0) {
    error = fmt::format("cannot read the state: {}", std::strerror(failure));
    return {};
  }
  return Saver(namespaces, spaces).script();
}

int save_script(const SaveOptions& options) {
  std::string error;
  const auto script = save(options, error);
  if (!script) {
    print(stderr, "netbatch: {}\n", error);
    return kWrong;
  }
  print(stdout, "{}", *script);
  return kDone;
}

}  // namespace netbatch
