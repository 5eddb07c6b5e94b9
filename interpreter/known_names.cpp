#include "interpreter/known_names.hpp"

#include <algorithm>
#include <utility>

#include "interpreter/name_hash.hpp"

namespace netbatch {
// 0 marks a free slot.
uint64_t KnownNames::hash_of(NsId ns, std::string_view name) {
  const uint64_t hash = name_hash(ns, name);
  return hash == 0 ? 1 : hash;
}

// Where the name is, or where it would be.
size_t KnownNames::place_of(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t place = hash & mask;
  while (slots_[place].hash != 0 && slots_[place].hash != hash) place = (place + 1) & mask;
  return place;
}

KnownNames::Known KnownNames::find(NsId ns, std::string_view name) const {
  if (count_ == 0) return {};
  const Slot& slot = slots_[place_of(hash_of(ns, name))];
  const auto fate = static_cast<Fate>(slot.fate);
  const uint32_t since = fate == Fate::MadeBeside ? std::max(beside_since_, all_since_) : all_since_;
  if (slot.hash == 0 || slot.time < since) return {};
  return {fate, {slot.begin, slot.begin + slot.length}};
}

void KnownNames::set(NsId ns, std::string_view name, Fate fate, Span span) {
  if (count_ * 4 >= slots_.size() * 3) grow();
  const uint64_t hash = hash_of(ns, name);
  Slot& slot = slots_[place_of(hash)];
  if (slot.hash == 0) ++count_;
  slot.hash = hash;
  slot.begin = span.begin;
  slot.length = std::min(span.end - span.begin, kLongest) & kLongest;
  slot.fate = static_cast<uint32_t>(fate) & 7u;
  slot.time = time_ & kMostTicks;
}

void KnownNames::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::max<size_t>(64, slots_.size() * 2)));
  for (const Slot& slot : old)
    if (slot.hash != 0) slots_[place_of(slot.hash)] = slot;
}

uint32_t KnownNames::tick() {
  if (time_ == kMostTicks) *this = {};
  return ++time_;
}

}  // namespace netbatch
