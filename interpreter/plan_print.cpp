#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "interpreter/kinds.hpp"
#include "interpreter/plan.hpp"
#include "interpreter/route_hops.hpp"
#include "netlink/ack.hpp"

namespace netbatch {
namespace {

std::string ip_text(std::string_view bytes) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text);
}

std::string mac_text(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : ":", static_cast<uint8_t>(byte));
  return text;
}

// ` via 10.0.0.1 dev eth0 weight 2`.
std::string hop_text(const Hop& hop) {
  std::string line = " nexthop";
  netlink::AttributeReader attributes(hop.attributes);
  for (netlink::Attribute attribute; attributes.next(attribute);) {
    std::string_view bytes(reinterpret_cast<const char*>(attribute.payload.data()), attribute.payload.size());
    if (attribute.type == RTA_VIA) bytes.remove_prefix(sizeof(rtvia));
    if (attribute.type == RTA_GATEWAY || attribute.type == RTA_VIA) line += " via " + ip_text(bytes);
  }
  if (!hop.device.empty()) line += fmt::format(" dev {}", hop.device);
  if (hop.weight > 1) line += fmt::format(" weight {}", hop.weight);
  return hop.onlink ? line + " onlink" : line;
}

std::string choice_text(const Attr& attr) {
  for (const Choice& choice : attr.row->choices)
    if (choice.value == attr.value.number) return std::string(choice.name);
  return std::to_string(attr.value.number);
}

}  // namespace

std::string value_text(const Attr& attr, const Namespaces& namespaces) {
  const Row& row = *attr.row;
  const Value& value = attr.value;
  switch (row.type) {
    case ValueType::None:
    case ValueType::FlagSet:
    case ValueType::FlagClear:
      return "";
    case ValueType::OnOff:
    case ValueType::Flag:
      return (value.number != 0) != row.inverted ? "on" : "off";
    case ValueType::S32:
      return std::to_string(static_cast<int32_t>(value.number));
    case ValueType::Be16:
      return std::to_string(ntohs(static_cast<uint16_t>(value.number)));
    case ValueType::Be32:
      return std::to_string(ntohl(static_cast<uint32_t>(value.number)));
    case ValueType::Choice:
      return choice_text(attr);
    case ValueType::Mac:
      return mac_text(value.text());
    case ValueType::Ip:
      return ip_text(value.text());
    case ValueType::Netns:
      return namespaces.name(static_cast<NsId>(value.number));
    default:
      break;
  }
  if (!value.is_data) return std::to_string(value.number);
  if (row.type == ValueType::Custom) return value.size == 4 || value.size == 16 ? ip_text(value.text()) : "…";
  return std::string(value.text());
}

namespace {

void append_attrs(std::string& line, std::span<const Attr> attrs, const Namespaces& namespaces,
                  uint16_t except = UINT16_MAX) {
  for (const Attr& attr : attrs) {
    if (attr.row->place == Place::InfoData || attr.row->attribute == except) continue;
    if (attr.row->place == Place::Hops) {
      each_hop(attr.value.text(), [&](const Hop& hop) { line += hop_text(hop); });
      continue;
    }
    const std::string value = value_text(attr, namespaces);
    line += fmt::format(" {}{}{}", attr.row->keyword, value.empty() ? "" : " ", value);
  }
}

const Attr* find_attribute(std::span<const Attr> attrs, uint16_t attribute) {
  for (const Attr& attr : attrs)
    if (attr.row->attribute == attribute && attr.row->place == Place::Top) return &attr;
  return nullptr;
}

// `addr add 10.0.0.1/24 dev eth0 …`: the prefix goes with the peer, where there is one.
std::string addr_text(const Operation& operation, const Operations& owner, const Namespaces& namespaces) {
  const auto attrs = owner.of(operation.attrs);
  const Attr* local = find_attribute(attrs, IFA_LOCAL);
  const Attr* peer = find_attribute(attrs, IFA_ADDRESS);
  const bool same = local && peer && local->value.text() == peer->value.text();
  std::string line;
  std::vector<Attr> rest;
  for (const Attr& attr : attrs) {
    if (&attr != local && &attr != peer) rest.push_back(attr);
  }
  if (local) line += " " + ip_text(local->value.text());
  const bool filter = peer && peer->row->option == Option::FilterTo;
  if (peer && !same) line += fmt::format(" {}{}", filter ? "to " : local ? "peer " : "", ip_text(peer->value.text()));
  if (local || peer) line += fmt::format("/{}", operation.header.prefix_length);
  line += fmt::format(" dev {}", operation.name);
  append_attrs(line, rest, namespaces);
  return line;
}

// `route add 10.0.0.0/8 via …`.
std::string route_text(const Operation& operation, const Operations& owner, const Namespaces& namespaces) {
  const auto attrs = owner.of(operation.attrs);
  const Attr* to = find_attribute(attrs, RTA_DST);
  std::string line = " default";
  if (to) line = fmt::format(" {}/{}", ip_text(to->value.text()), operation.header.prefix_length);
  append_attrs(line, attrs, namespaces, RTA_DST);
  return line;
}

// `neigh add [proxy] 10.0.0.7 lladdr … dev eth0`.
std::string neigh_text(const Operation& operation, const Operations& owner, const Namespaces& namespaces) {
  const auto attrs = owner.of(operation.attrs);
  const Attr* to = find_attribute(attrs, NDA_DST);
  std::string line = (operation.header.flags & NTF_PROXY) != 0 ? " proxy" : "";
  if (to) line += " " + ip_text(to->value.text());
  append_attrs(line, attrs, namespaces, NDA_DST);
  return operation.name.empty() ? line : fmt::format("{} dev {}", line, operation.name);
}

std::string request_text(const Plan& plan, const Request& request, const Operations& operations,
                         const Namespaces& namespaces) {
  if (request.kind == RequestKind::DeleteGroup) return fmt::format("link del {} links by group", request.source_count);
  const bool fused = request.kind == RequestKind::Fused;
  const Operations& owner = fused ? plan.merged : operations;
  return to_string(owner.list[request.operation], owner, namespaces);
}

}  // namespace

std::string_view word_of(Object object) {
  switch (object) {
    case Object::Link:
      return "link";
    case Object::Addr:
      return "addr";
    case Object::Route:
      return "route";
    case Object::Neigh:
      return "neigh";
    default:
      return "netns";
  }
}

std::string_view word_of(Verb verb) {
  switch (verb) {
    case Verb::Add:
      return "add";
    case Verb::Set:
      return "set";
    case Verb::Replace:
      return "replace";
    case Verb::Delete:
      return "del";
    case Verb::Append:
      return "append";
    case Verb::Prepend:
      return "prepend";
    case Verb::Flush:
      return "flush";
    case Verb::AddName:
      return "property add";
    case Verb::DeleteName:
      return "property del";
    case Verb::Ensure:
      return "ensure";
    case Verb::Absent:
      return "absent";
    case Verb::EnsureName:
      return "property ensure";
    default:
      return "property absent";
  }
}

std::string to_string(const Operation& operation, const Operations& owner, const Namespaces& namespaces) {
  std::string line = fmt::format("{} {}", word_of(operation.object), word_of(operation.verb));
  if (operation.object == Object::Addr) return line + addr_text(operation, owner, namespaces);
  if (operation.object == Object::Neigh) return line + neigh_text(operation, owner, namespaces);
  if (operation.object == Object::Route) return line + route_text(operation, owner, namespaces);
  if (!operation.name.empty()) line += fmt::format(" {}", operation.name);
  append_attrs(line, owner.of(operation.attrs), namespaces);
  if (operation.kind != nullptr) {
    line += fmt::format(" type {}", operation.kind->name);
    for (const Attr& attr : owner.of(operation.attrs)) {
      if (attr.row->place != Place::InfoData) continue;
      const std::string value = value_text(attr, namespaces);
      line += fmt::format(" {}{}{}", attr.row->keyword, value.empty() ? "" : " ", value);
    }
  }
  if (operation.has_peer) {
    line += " peer";
    if (!operation.peer_name.empty()) line += fmt::format(" name {}", operation.peer_name);
    append_attrs(line, owner.of(operation.peer_attrs), namespaces);
  }
  return line;
}

std::string to_string(const Plan& plan, const Operations& operations, const Namespaces& namespaces) {
  std::string text;
  size_t number = 0;
  for (const Group& group : plan.groups) {
    text +=
        fmt::format("group {}: {} request{}{}\n", ++number, group.request_count, group.request_count == 1 ? "" : "s",
                    group.ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces.name(group.ns)));
    for (uint32_t i = group.first_request; i < group.first_request + group.request_count; ++i) {
      const Request& request = plan.requests[i];
      text += "  " + request_text(plan, request, operations, namespaces);
      if (request.kind != RequestKind::Plain) {
        std::vector<uint32_t> statements(plan.sources_of(request).begin(), plan.sources_of(request).end());
        for (uint32_t& statement : statements) ++statement;
        text += fmt::format("   <- {}", fmt::join(statements, " "));
      }
      text += '\n';
    }
  }
  text +=
      fmt::format("{} statement{} in {} request{}\n", operations.list.size(), operations.list.size() == 1 ? "" : "s",
                  plan.requests.size(), plan.requests.size() == 1 ? "" : "s");
  return text;
}

}  // namespace netbatch
