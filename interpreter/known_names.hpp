// What a script has done to the names of links so far, 16 bytes a name, for scripts with millions of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "interpreter/operation.hpp"

namespace netbatch {

enum class Fate : uint8_t {
  Unknown,     // no statement has made it or taken it away, or what happened since is not known
  Made,        // there is a link of that name, which nothing but a statement about it takes away
  MadeBeside,  // there is one that goes with another one: the end of a pair, a link on top of another
  Deleted,
  Renamed,
  Moved,
};

class KnownNames {
 public:
  struct Known {
    Fate fate = Fate::Unknown;
    Span span;  // the name, where that was said; at most kLongest bytes of it
  };

  Known find(NsId ns, std::string_view name) const;
  void set(NsId ns, std::string_view name, Fate fate, Span span);
  // From now on nothing is known of links that go with others, since one has been deleted.
  void forget_beside() { beside_since_ = tick(); }
  // From now on nothing is known at all.
  void forget_all() { all_since_ = tick(); }

 private:
  static constexpr uint32_t kLongest = 31;
  static constexpr uint32_t kMostTicks = (1u << 24) - 1;
  struct Slot {
    uint64_t hash = 0;  // of the namespace and the name; 0: free
    uint32_t begin = 0;
    uint32_t length : 5 = 0;
    uint32_t fate : 3 = 0;
    uint32_t time : 24 = 0;
  };
  static uint64_t hash_of(NsId ns, std::string_view name);
  size_t place_of(uint64_t hash) const;
  void grow();
  uint32_t tick();

  std::vector<Slot> slots_;  // a power of two
  size_t count_ = 0;
  uint32_t time_ = 1;
  uint32_t beside_since_ = 0;
  uint32_t all_since_ = 0;
};

}  // namespace netbatch
