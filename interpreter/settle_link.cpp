// Links that are to be there, or not to be there.
#include <fmt/format.h>
#include <linux/if_link.h>

#include <algorithm>
#include <functional>

#include "interpreter/link.hpp"
#include "interpreter/settler.hpp"

namespace netbatch {
namespace {

constexpr std::string_view kPortSuffix = "_slave";

// What the creating request does not heed (link_rows.cpp), or what is not the same as a setting of its own (kinds.hpp).
bool is_late(const Attr& attr, const Kind& kind) {
  if (attr.row->place == Place::InfoData || attr.row->option == Option::Down) return false;
  if (attr.row->option == Option::Mtu) return !kind.fuses_mtu;
  return attr.row->fusion.order != 0 && attr.row->fusion.create_order == 0;
}

bool is_up(const Attr& attr) { return attr.row->option == Option::Up; }

}  // namespace

void Settler::ensure_link(const Operation& op) {
  const NsId target = target_of(attrs(op), op.ns);
  if (!ledger_.exists(target, op.name)) {
    if (op.kind != nullptr && !op.kind->slave) return make_link(op, target);
    if (!ledger_.has_netns(op.ns) || !ledger_.has_netns(target)) {  // fails, and says why
      Operation plain = op;
      plain.verb = op.kind != nullptr ? Verb::Add : Verb::Set;
      return emit(plain);
    }
    // A link of no kind can only be moved there.
    if (target == op.ns || !ledger_.exists(op.ns, op.name)) {
      return refuse(op.name_span,
                    fmt::format("no link named '{}'{}, and without 'type' none can be made", op.name, in(target)));
    }
    Operation move = op;
    move.verb = Verb::Set;
    move.kind = nullptr;
    note_move(target);
    return emit(move);
  }
  KnownLink& link = ledger_.link(target, op.name);
  const NsId peer_ns = target_of(operations_.of(op.peer_attrs), op.ns);
  if (!check_kind(op, link) || !check_peer(op, link, peer_ns)) return;
  set_link(op, link, target);
  if (op.has_peer && !op.peer_name.empty()) set_peer(op, peer_ns);
}

void Settler::make_link(const Operation& op, NsId target) {
  std::vector<Attr> creating;
  std::vector<Attr> late;
  for (const Attr& attr : attrs(op)) (is_late(attr, *op.kind) ? late : creating).push_back(attr);
  if (late.empty()) {
    Operation add = op;
    add.verb = Verb::Add;
    return emit(add);
  }
  const auto up = std::stable_partition(creating.begin(), creating.end(), std::not_fn(is_up));
  late.insert(late.end(), up, creating.end());
  creating.erase(up, creating.end());
  Operation add = op;
  add.verb = Verb::Add;
  emit(add, creating);
  Operation set = op;
  set.ns = target;
  set.kind = nullptr;
  emit_settings(set, std::move(late));
}

bool Settler::check_kind(const Operation& op, const KnownLink& link) {
  if (op.kind == nullptr) return true;
  std::string_view wanted = op.kind->name;
  if (op.kind->slave) {
    wanted.remove_suffix(kPortSuffix.size());
    const bool joins =
        std::ranges::any_of(attrs(op), [](const Attr& attr) { return attr.row->option == Option::Master; });
    if (joins || link.standing != Standing::Present || PresentLink(link.message).port_kind() == wanted) return true;
    refuse(op.kind_span, fmt::format("the link '{}'{} is not a port of a {}", op.name, in(op.ns), wanted));
    return false;
  }
  const std::string_view kind = link.kind != nullptr   ? link.kind->name
                                : link.message.empty() ? wanted
                                                       : PresentLink(link.message).kind();
  if (kind == wanted) return true;
  const NsId target = target_of(attrs(op), op.ns);
  refuse(op.kind_span,
         kind.empty() ? fmt::format("there is a link named '{}'{} already, which is not of kind '{}'", op.name,
                                    in(target), wanted)
                      : fmt::format("there is a link named '{}'{} already, of kind '{}'", op.name, in(target), kind));
  return false;
}

bool Settler::check_peer(const Operation& op, const KnownLink& link, NsId peer_ns) {
  if (!op.has_peer || op.peer_name.empty() || link.standing != Standing::Present) return true;
  if (ledger_.exists(peer_ns, op.peer_name)) {
    const KnownLink& peer = ledger_.link(peer_ns, op.peer_name);
    if (peer.standing == Standing::Changed) return true;
    const PresentLink present(link.message);
    const PresentLink other(peer.message);
    if (other.index() != 0 && other.index() == present.lower() && other.lower() == present.index()) return true;
  }
  refuse(op.peer_name_span, fmt::format("there is a link named '{}'{} already, but '{}'{} is not its peer", op.name,
                                        in(target_of(attrs(op), op.ns)), op.peer_name, in(peer_ns)));
  return false;
}

// What only a creation takes, and the kernel does not say so.
bool Settler::unchangeable(const Operation& op, const Attr& attr) {
  const bool of_vlan = op.kind != nullptr && op.kind->name == "vlan" && attr.row->place == Place::InfoData &&
                       (attr.row->attribute == IFLA_VLAN_ID || attr.row->attribute == IFLA_VLAN_PROTOCOL);
  const bool of_all = attr.row->option == Option::Link || attr.row->option == Option::Index ||
                      (attr.row->place == Place::Top &&
                       (attr.row->attribute == IFLA_NUM_TX_QUEUES || attr.row->attribute == IFLA_NUM_RX_QUEUES));
  if (!of_vlan && !of_all) return false;
  refuse(attr.span, fmt::format("the link '{}'{} is there already, with another '{}', which cannot be changed", op.name,
                                in(target_of(attrs(op), op.ns)), attr.row->keyword));
  return true;
}

void Settler::set_link(const Operation& op, KnownLink& link, NsId target) {
  std::vector<Attr> different;
  for (const Attr& attr : attrs(op)) {
    // What a kind's table adds by itself is for new links.
    const bool added = op.kind != nullptr && attr.span == op.kind_span;
    if (attr.row->option == Option::Netns || added) continue;
    const NsId names = attr.row->option == Option::Master ? target : op.ns;
    if (link.was_there()) {
      const bool known = link.standing == Standing::Present;
      const bool same = PresentLink(link.message).has(attr, op.kind, [&](std::string_view name) {
        return ledger_.index(names, name);
      });
      if (known && same) continue;
      if (!same && unchangeable(op, attr)) return;
    }
    note_change(op, attr, link, names);
    different.push_back(attr);
  }
  if (link.standing != Standing::Present) {
    std::erase_if(different, [](const Attr& attr) {
      return attr.row->option == Option::Link || attr.row->option == Option::Index;
    });
  }
  Operation set = op;
  set.ns = target;
  emit_settings(set, std::move(different));
}

void Settler::set_peer(const Operation& op, NsId peer_ns) {
  Operation peer = op;
  peer.kind = nullptr;
  peer.name = op.peer_name;
  peer.name_span = op.peer_name_span;
  peer.attrs = op.peer_attrs;
  if (ledger_.exists(peer_ns, peer.name)) set_link(peer, ledger_.link(peer_ns, peer.name), peer_ns);
}

// A port takes its options once it is a port; flags are set before addrgenmode, which works before `up` only.
void Settler::emit_settings(Operation op, std::vector<Attr> settings) {
  op.verb = Verb::Set;
  op.has_peer = false;
  op.peer_name = {};
  op.peer_attrs = {};
  const Kind* kind = op.kind;
  const auto in_data = [](const Attr& attr) { return attr.row->place == Place::InfoData; };
  auto send = [&](auto&& belongs) {
    std::vector<Attr> some;
    std::ranges::copy_if(settings, std::back_inserter(some), belongs);
    std::erase_if(settings, belongs);
    if (some.empty()) return;
    op.kind = std::ranges::any_of(some, in_data) ? kind : nullptr;
    emit(op, some);
  };
  const bool raises = std::ranges::any_of(settings, is_up) &&
                      std::ranges::any_of(settings, [](const Attr& attr) { return attr.row->place == Place::Inet6; });
  const bool port = kind != nullptr && kind->slave;
  send([&](const Attr& attr) { return !(port && in_data(attr)) && !(raises && is_up(attr)); });
  send([&](const Attr& attr) { return port && in_data(attr); });
  send([](const Attr&) { return true; });
}

void Settler::absent_link(const Operation& op) {
  if (!ledger_.exists(op.ns, op.name)) return;
  Operation plain = op;
  plain.verb = Verb::Delete;
  emit(plain);
}

void Settler::ensure_names(const Operation& op) {
  const bool wanted = op.verb == Verb::EnsureName;
  if (!ledger_.exists(op.ns, op.name)) {
    if (wanted) refuse(op.name_span, fmt::format("no link named '{}'{}", op.name, in(op.ns)));
    return;
  }
  const KnownLink& link = ledger_.link(op.ns, op.name);
  std::vector<std::string_view> present;
  if (link.was_there()) present = PresentLink(link.message).alternative_names();
  std::vector<Attr> different;
  for (const Attr& attr : attrs(op)) {
    const std::string_view name = attr.value.text();
    const bool was = std::ranges::find(present, name) != present.end() && !link.old_names.contains(name);
    if ((was || link.new_names.contains(name)) != wanted) {
      note_name(name, wanted);
      different.push_back(attr);
    }
  }
  if (different.empty()) return;
  Operation plain = op;
  plain.verb = wanted ? Verb::AddName : Verb::DeleteName;
  emit(plain, different);
}

// What a plain statement about links does to what is known.
void Settler::observe_link(const Operation& op) {
  if (op.verb == Verb::Add || op.verb == Verb::Replace) return observe_new(op);
  if (op.name.empty()) {  // a group
    const Attr* group = nullptr;
    for (const Attr& attr : attrs(op))
      if (attr.row->option == Option::Group) group = &attr;
    for (KnownLink* link : ledger_.links_in(op.ns)) {
      if (!link->was_there() || group == nullptr || PresentLink(link->message).group() != group->value.number) continue;
      if (op.verb == Verb::Delete)
        ledger_.erase(*link, op.ns);
      else
        link->standing = Standing::Changed;
    }
    return;
  }
  if (op.verb == Verb::Set) return observe_set(op);
  KnownLink& link = ledger_.link(op.ns, op.name);
  if (op.verb == Verb::Delete) return ledger_.erase(link, op.ns);
  for (const Attr& attr : attrs(op)) {
    const std::string name(attr.value.text());
    (op.verb == Verb::AddName ? link.new_names : link.old_names).insert(name);
    (op.verb == Verb::AddName ? link.old_names : link.new_names).erase(name);
  }
}

void Settler::observe_new(const Operation& op) {
  if (op.name.empty()) return;
  const NsId target = target_of(attrs(op), op.ns);
  const bool changes = op.verb == Verb::Replace && ledger_.exists(target, op.name);
  KnownLink& link = ledger_.link(target, op.name);
  if (changes && link.standing != Standing::Made) {
    link.standing = Standing::Changed;
    return;
  }
  link = KnownLink{};
  link.standing = Standing::Made;
  link.kind = op.kind;
  if (!op.has_peer || op.peer_name.empty()) return;
  KnownLink& peer = ledger_.link(target_of(operations_.of(op.peer_attrs), op.ns), op.peer_name);
  peer = KnownLink{};
  peer.standing = Standing::Made;
  peer.kind = op.kind;
  peer.peer = &link;
  link.peer = &peer;
}

// It may have another name, or be in another namespace now.
void Settler::observe_set(const Operation& op) {
  NsId target = target_of(attrs(op), op.ns);
  std::string_view name = op.name;
  for (const Attr& attr : attrs(op))
    if (attr.row->option == Option::Name) name = attr.value.text();
  KnownLink& link = ledger_.link(op.ns, op.name);
  if (link.standing == Standing::Present) link.standing = Standing::Changed;
  if (target == op.ns && name == op.name) return;
  KnownLink moved = link;
  if (target != op.ns) {
    moved.moved = true;
    moved.touched.clear();
  }
  link = KnownLink{};
  link.standing = Standing::Gone;
  KnownLink& renamed = ledger_.link(target, name);
  renamed = std::move(moved);
  if (renamed.peer != nullptr) renamed.peer->peer = &renamed;
}

}  // namespace netbatch
