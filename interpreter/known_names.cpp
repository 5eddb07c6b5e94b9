#include "interpreter/known_names.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace netbatch {
namespace {

static_assert(sizeof(uint64_t) == 8);

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64u);
}

}  // namespace

uint64_t KnownNames::hash_of(NsId ns, std::string_view name) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  constexpr uint64_t kOther = 0xd1b54a32d192ed03;
  uint64_t hash = mix(kOdd ^ ns, kOther ^ name.size());
  while (!name.empty()) {
    uint64_t bytes = 0;
    const size_t size = std::min(name.size(), sizeof bytes);
    std::memcpy(&bytes, name.data(), size);
    hash = mix(hash ^ bytes, kOdd);
    name.remove_prefix(size);
  }
  hash = mix(hash, kOther);
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
