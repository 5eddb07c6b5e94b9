#include "interpreter/irreversible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interpreter/plan.hpp"

namespace netbatch {
namespace {

struct LossText {
  std::string_view code;
  std::string_view reason;
};

// By Loss. Kernel facts: net/core/dev.c __dev_change_net_namespace (dev_shutdown), net/bridge/br_if.c del_nbp,
// net/core/neighbour.c neigh_ifdown, net/bridge/br_stp_if.c br_stp_recalculate_bridge_id and net/8021q/vlan.c
// vlan_sync_address (NET_ADDR_SET stays).
constexpr LossText kLosses[] = {
    {"deleted-link",
     "it is made again with new counters and learned state, without its tc settings and forwarding entries"},
    {"deleted-namespace",
     "netbatch holds it until the run has ended, as far as the limit of open files allows; after a kill -9 it is gone, "
     "with "
     "what was in it"},
    {"moved-link", "it comes back without its tc settings, forwarding entries and learned neighbours"},
    {"left-port", "a port of a bridge comes back without its forwarding entries and VLANs"},
    {"went-down", "learned neighbours and forwarding entries are lost"},
    {"set-address",
     "a bridge or a VLAN keeps the old address as a fixed one: it no longer follows its ports, or the link below"},
    {"flushed-entries", "the forwarding entries are lost"},
};

constexpr size_t kMostShown = 20;

}  // namespace

std::string_view loss_code(Loss loss) { return kLosses[static_cast<size_t>(loss)].code; }
std::string_view loss_reason(Loss loss) { return kLosses[static_cast<size_t>(loss)].reason; }

std::vector<Irreversible> IrreversibleFinder::find(const Operations& operations) {
  operations_ = &operations;
  for (at_ = 0; at_ < operations.list.size(); ++at_)
    see(operations.list[at_], operations.of(operations.list[at_].attrs));
  return std::exchange(found_, {});
}

void IrreversibleFinder::see(const Operation& op, std::span<const Attr> attrs) {
  if (op.object == Object::Netns) return netns(op);
  if (op.object != Object::Link) return;
  switch (op.verb) {
    case Verb::Add:
      return add_link(op, attrs);
    case Verb::Delete:
      return delete_link(op);
    case Verb::AddName:
      if (is_made(op.ns, op.name))
        for (const Attr& attr : attrs) space(op.ns).links.insert_or_assign(std::string(attr.value.text()), true);
      return;
    case Verb::Set:
    case Verb::Replace:
      return set_link(op, attrs);
    default:
      return;
  }
}

void IrreversibleFinder::add_link(const Operation& op, std::span<const Attr> attrs) {
  space(target_of(attrs, op.ns)).links.insert_or_assign(std::string(op.name), true);
  if (!op.has_peer || op.peer_name.empty()) return;
  const NsId peer_ns = target_of(operations_->of(op.peer_attrs), op.ns);
  space(peer_ns).links.insert_or_assign(std::string(op.peer_name), true);
}

// Without a name: those of a group.
void IrreversibleFinder::delete_link(const Operation& op) {
  if (op.name.empty() || !is_made(op.ns, op.name)) lose(Loss::DeletedLink);
  Names& links = space(op.ns).links;
  if (const auto place = links.find(op.name); place != links.end()) links.erase(place);
}

void IrreversibleFinder::set_link(const Operation& op, std::span<const Attr> attrs) {
  const bool made = !op.name.empty() && is_made(op.ns, op.name);
  const NsId target = target_of(attrs, op.ns);
  if (!made && target != op.ns) lose(Loss::MovedLink);
  if (!made) lose_settings(attrs);
  std::string_view name = op.name;
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Name) name = attr.value.text();
  if (op.name.empty() || (target == op.ns && name == op.name)) return;
  Names& links = space(op.ns).links;
  if (const auto place = links.find(op.name); place != links.end()) links.erase(place);
  space(target).links.insert_or_assign(std::string(name), made);
}

void IrreversibleFinder::lose_settings(std::span<const Attr> attrs) {
  for (const Attr& attr : attrs) {
    if (attr.row->option == Option::Address) lose(Loss::SetAddress);
    if (attr.row->option == Option::NoMaster) lose(Loss::LeftPort);
    if (attr.row->option == Option::Down) lose(Loss::WentDown);
    if (attr.row->keyword == "fdb_flush") lose(Loss::FlushedEntries);
  }
}

// What was moved into a namespace that the script has made goes with that, too.
void IrreversibleFinder::netns(const Operation& op) {
  Space& about = space(namespaces_.find(op.name));
  if (op.verb == Verb::Delete) {
    const bool holds_old = std::ranges::any_of(about.links, [](const auto& link) { return !link.second; });
    if (!about.made) lose(Loss::DeletedNetns);
    if (about.made && holds_old) lose(Loss::DeletedLink);
  }
  about = {.made = op.verb == Verb::Add, .links = {}};
}

IrreversibleFinder::Space& IrreversibleFinder::space(NsId ns) {
  if (spaces_.size() <= ns) spaces_.resize(std::max<size_t>(namespaces_.size(), ns + size_t{1}));
  return spaces_[ns];
}

bool IrreversibleFinder::is_made(NsId ns, std::string_view name) {
  const Space& where = space(ns);
  const auto place = where.links.find(name);
  return place == where.links.end() ? where.made : place->second;
}

void IrreversibleList::add(std::span<const Irreversible> found, const Operations& operations,
                           const Namespaces& namespaces) {
  for (const Irreversible& each : found) {
    const Operation& op = operations.list[each.operation];
    const auto [place, added] = places_.try_emplace({op.span.begin, each.loss}, entries_.size());
    if (added) {
      const std::string where = op.ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces.name(op.ns));
      entries_.push_back({op.span, each.loss, to_string(op, operations, namespaces) + where});
    }
    ++entries_[place->second].count;
  }
}

std::string IrreversibleList::text(const grammar::Sources& sources) const {
  if (entries_.empty()) return {};
  std::string text = "what a rollback cannot take back:\n";
  for (size_t i = 0; i < std::min(entries_.size(), kMostShown); ++i) {
    const Entry& entry = entries_[i];
    const grammar::Position place = sources.locate(entry.span.begin);
    text += fmt::format("  {}:{}: {}", place.file, place.line, entry.first);
    if (entry.count > 1) text += fmt::format(", and {} more", entry.count - 1);
    text += fmt::format("\n    {}\n", loss_reason(entry.loss));
  }
  if (entries_.size() > kMostShown)
    text += fmt::format("  and {} more statement{}\n", entries_.size() - kMostShown,
                        entries_.size() - kMostShown == 1 ? "" : "s");
  return text;
}

}  // namespace netbatch
