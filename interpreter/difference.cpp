#include "interpreter/difference.hpp"

#include <fmt/format.h>
#include <linux/if.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "interpreter/kinds.hpp"
#include "interpreter/plan.hpp"
#include "interpreter/present_link.hpp"

namespace netbatch {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kNoWords = "…";

// The kernel's payload in the words that the script's value would have.
std::string present_text(const Attr& attr, Bytes payload, const NameOf& name_of, const Namespaces& namespaces) {
  if (attr.row->type == ValueType::Link) return name_of(read_struct<int>(payload));
  if (attr.row->type == ValueType::Ip && payload.size() != 4 && payload.size() != 16) return std::string(kNoWords);
  Attr now{attr.row, attr.span, {}};
  if (attr.value.is_data) {
    const bool is_text = attr.row->type == ValueType::Text || attr.row->type == ValueType::TextNul;
    const std::string_view bytes(reinterpret_cast<const char*>(payload.data()), payload.size());
    now.value = Value::of_data(is_text ? text_of(payload) : bytes);
  } else {
    now.value = Value::of_number(read_struct<uint64_t>(payload), static_cast<uint32_t>(payload.size()));
  }
  return value_text(now, namespaces);
}

Change change_of(const Attr& attr, bool found, Bytes payload, const NameOf& name_of, const Namespaces& namespaces) {
  Change change{.option = std::string(attr.row->keyword)};
  const std::string fresh = value_text(attr, namespaces);
  if (!fresh.empty() || attr.row->option == Option::Alias) change.fresh = fresh;
  if (fresh == kNoWords || attr.row->type == ValueType::None) change.is_known = false;
  if (found && change.is_known) change.old = present_text(attr, payload, name_of, namespaces);
  return change;
}

size_t header_size(Object object) {
  return object == Object::Addr ? sizeof(ifaddrmsg) : object == Object::Route ? sizeof(rtmsg) : sizeof(ndmsg);
}

// It is a part of what makes the object this one.
bool tells_apart(Object object, uint16_t attribute) {
  if (object == Object::Addr) return attribute == IFA_LOCAL || attribute == IFA_ADDRESS;
  return object == Object::Route && attribute == RTA_TABLE;
}

std::string change_text(const Change& change) {
  std::string text = change.option;
  auto add = [&](std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  auto or_none = [](const std::optional<std::string>& value) {
    return value && !value->empty() ? *value : std::string("none");
  };
  if (!change.is_known) {
    if (change.fresh) add(or_none(change.fresh));
    return text;
  }
  add(or_none(change.old));
  add("→");
  add(or_none(change.fresh));
  return text;
}

std::string effect_text(const Difference& difference) {
  if (difference.effect == Effect::Nothing) return "nothing to do";
  if (difference.effect == Effect::Refuse) return "cannot be made so";
  if (difference.effect != Effect::Change || difference.changes.empty()) return std::string(word_of(difference.effect));
  std::string text;
  std::string_view link;
  for (const Change& change : difference.changes) {
    if (text.empty() || change.link != link) {
      if (!text.empty()) text += "; ";
      text += change.link.empty() ? "set " : fmt::format("set {}: ", change.link);
    } else {
      text += ", ";
    }
    link = change.link;
    text += change_text(change);
  }
  return text;
}

// A link without its options.
std::string short_text(const Operation& op, const Operations& owner, const Namespaces& namespaces) {
  if (op.object != Object::Link) return to_string(op, owner, namespaces);
  return fmt::format("{} {} {}", word_of(op.object), word_of(op.verb), op.name);
}

}  // namespace

std::string_view word_of(Effect effect) {
  constexpr std::string_view kWords[] = {"nothing", "make", "change", "delete", "refuse"};
  return kWords[static_cast<size_t>(effect)];
}

Change link_change(const Attr& attr, const Kind* kind, const PresentLink& link, const NameOf& name_of,
                   const Namespaces& namespaces) {
  bool found = false;
  const Bytes payload = link.find(attr, kind, found);
  const Row& row = *attr.row;
  if (row.option == Option::NoMaster)
    return {.option = "master", .old = name_of(read_struct<int>(payload)), .fresh = ""};
  if (row.place != Place::Header) return change_of(attr, found, payload, name_of, namespaces);
  const bool is_set = (link.flags() & row.fixed) != 0;
  if (row.option == Option::Up || row.option == Option::Down)
    return {.old = is_set ? "up" : "down", .fresh = std::string(row.keyword)};
  const Attr now{attr.row, attr.span, Value::of_number(is_set, 1)};
  return {
      .option = std::string(row.keyword), .old = value_text(now, namespaces), .fresh = value_text(attr, namespaces)};
}

std::vector<Change> family_changes(const Operation& op, std::span<const Attr> attrs, const Message& message,
                                   const NameOf& name_of, const Namespaces& namespaces) {
  std::vector<Change> changes;
  const Bytes attributes = attributes_after(message, header_size(op.object));
  if (const auto length = read_struct<ifaddrmsg>(message).ifa_prefixlen;
      op.object == Object::Addr && length != op.header.prefix_length)
    changes.push_back(
        {.option = "prefix", .old = std::to_string(length), .fresh = std::to_string(op.header.prefix_length)});
  for (const Attr& attr : attrs) {
    const bool metric = attr.row->place == Place::Metrics;
    if ((!metric && attr.row->place != Place::Top) || tells_apart(op.object, attr.row->attribute)) continue;
    const Bytes where = metric ? payload_of(attributes, RTA_METRICS) : attributes;
    Bytes payload;
    const bool found = find_payload(where, attr.row->attribute, payload);
    Change change = change_of(attr, found, payload, name_of, namespaces);
    if (!change.is_known || change.old != change.fresh) changes.push_back(std::move(change));
  }
  return changes;
}

std::string to_string(std::span<const Difference> differences, const Operations& owner, const Namespaces& namespaces,
                      const grammar::Sources& sources) {
  if (differences.empty()) return {};
  std::string text = "against the present state:\n";
  for (const Difference& each : differences) {
    const Operation& op = each.operation;
    const grammar::Position place = sources.locate(op.span.begin);
    const std::string where = op.ns == 0 ? "" : fmt::format(" in namespace '{}'", namespaces.name(op.ns));
    text += fmt::format("  {}:{}: {}{}: {}\n", place.file, place.line, short_text(op, owner, namespaces), where,
                        effect_text(each));
  }
  return text;
}

}  // namespace netbatch
