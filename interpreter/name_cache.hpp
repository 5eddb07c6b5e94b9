// Names of links that have been resolved: (namespace, name) → index. A name is looked up once, on demand, and forgotten
// when the run itself does something that may change what it means.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace netbatch {

class NameCache {
 public:
  // `netns` is the namespace's identity as the Transport numbers it: two names of one namespace share it.
  // 0 when the name is not cached.
  int find(uint32_t netns, std::string_view name) const;
  void insert(uint32_t netns, std::string_view name, int index);

  // After an add or a rename: the name means another link, or none.
  void drop(uint32_t netns, std::string_view name);
  // After a delete or a move to another namespace: peers (in any namespace), stacked links and alternative names go
  // too.
  void drop_all() { ++generation_; }

 private:
  struct Entry {
    int index;
    uint32_t generation;
  };
  struct Key {
    uint32_t netns;
    std::string name;
  };
  struct KeyView {
    uint32_t netns;
    std::string_view name;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const KeyView& key) const {
      return std::hash<std::string_view>{}(key.name) ^ (key.netns * 0x9e3779b97f4a7c15u);
    }
    size_t operator()(const Key& key) const { return (*this)(KeyView{key.netns, key.name}); }
  };
  struct Equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return a.netns == b.netns && std::string_view(a.name) == std::string_view(b.name);
    }
  };
  tsl::robin_map<Key, Entry, Hash, Equal> entries_;
  uint32_t generation_ = 0;
};

}  // namespace netbatch
