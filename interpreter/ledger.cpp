#include "interpreter/ledger.hpp"

#include <algorithm>
#include <cerrno>

namespace netbatch {
namespace {

constexpr uint64_t kMissing = uint64_t{1} << 32;  // namespaces that do not exist are told apart by their names

}  // namespace

Ledger::Ledger(const Namespaces& namespaces, StateReader& reader) : reader_(reader), netns_(namespaces.size()) {
  made_.resize(namespaces.size());
  readable_.resize(namespaces.size());
  for (NsId ns = 0; ns < namespaces.size(); ++ns) {
    const auto identity = reader.identity(ns);
    readable_[ns] = static_cast<bool>(identity);
    keys_.push_back(identity ? *identity : kMissing + ns);
  }
}

uint64_t Ledger::key(NsId ns) const { return made_[ns] ? kMissing + ns : keys_[ns]; }

void Ledger::fail(int error, NsId ns) {
  if (error_ != 0) return;
  error_ = error;
  error_ns_ = ns;
}

void Ledger::read(NsId ns, std::span<const std::string_view> names) {
  if (!readable_[ns] || names.empty()) return;
  std::vector<Message> found;
  const int error = reader_.read_links(ns, names, found);
  if (error != 0) return fail(error, ns);
  auto& links = links_[keys_[ns]];
  for (size_t i = 0; i < names.size(); ++i)
    links.try_emplace(std::string(names[i])).first->second.message = std::move(found[i]);
}

KnownLink& Ledger::link(NsId ns, std::string_view name) {
  auto& links = links_[key(ns)];
  auto place = links.find(std::string(name));
  if (place != links.end()) return place->second;
  if (!made_[ns]) read(ns, {&name, 1});
  KnownLink& known = links_[key(ns)].try_emplace(std::string(name)).first->second;
  if (made_[ns] && name == "lo") known.standing = Standing::Changed;  // every new namespace has it
  return known;
}

// A link that stands on one that is gone, or is its peer, is gone, too.
bool Ledger::exists(NsId ns, std::string_view name) {
  if (name.empty() || !has_netns(ns)) return false;
  KnownLink& known = link(ns, name);
  if (known.standing == Standing::Made || known.standing == Standing::Changed) return true;
  if (known.standing == Standing::Gone || known.message.empty()) return false;
  const PresentLink present(known.message);
  const bool goes = present.lower() != 0 && std::any_of(gone_.begin(), gone_.end(), [&](const auto& gone) {
                      return gone.second == present.lower() && (gone.first == key(ns)) != present.lower_is_elsewhere();
                    });
  if (goes) erase(known, ns);
  return !goes;
}

void Ledger::erase(KnownLink& link, NsId ns) {
  if (link.was_there()) gone_.emplace_back(key(ns), PresentLink(link.message).index());
  if (link.peer != nullptr) {
    link.peer->standing = Standing::Gone;
    link.peer->peer = nullptr;
  }
  link = KnownLink{};
  link.standing = Standing::Gone;
}

std::vector<KnownLink*> Ledger::links_in(NsId ns) {
  std::vector<KnownLink*> all;
  for (auto& [name, link] : links_[key(ns)]) all.push_back(&link);
  return all;
}

int Ledger::index(NsId ns, std::string_view name) {
  if (!exists(ns, name)) return 0;
  const KnownLink& known = link(ns, name);
  return known.was_there() && !known.moved ? PresentLink(known.message).index() : 0;
}

bool Ledger::has_netns(NsId ns) {
  if (ns == 0) return true;
  if (!netns_[ns]) netns_[ns] = readable_[ns] || reader_.has_netns(ns);
  return *netns_[ns];
}

void Ledger::set_netns(NsId ns, bool exists) {
  if (!exists)
    for (KnownLink* link : links_in(ns)) erase(*link, ns);
  netns_[ns] = exists;
  if (exists) made_[ns] = true;
}

bool Ledger::is_new(NsId ns) const { return made_[ns]; }

bool Ledger::touches_link_with(NsId ns, int index) {
  return std::ranges::any_of(links_in(ns), [&](const KnownLink* link) {
    return link->standing != Standing::Present && !link->message.empty() && PresentLink(link->message).index() == index;
  });
}

const std::vector<Message>& Ledger::dump(NsId ns, uint16_t type) {
  static const std::vector<Message> kNone;
  if (made_[ns] || !readable_[ns]) return kNone;
  auto [place, added] = dumps_.try_emplace({keys_[ns], type});
  if (!added) return place->second;
  if (const int error = reader_.dump(ns, type, place->second); error != 0) fail(error, ns);
  return place->second;
}

}  // namespace netbatch
