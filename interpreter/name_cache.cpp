#include "interpreter/name_cache.hpp"

namespace netbatch {

int NameCache::find(uint32_t netns, std::string_view name) const {
  auto place = entries_.find(KeyView{netns, name});
  return place == entries_.end() || place->second.generation != generation_ ? 0 : place->second.index;
}

void NameCache::insert(uint32_t netns, std::string_view name, int index) {
  auto place = entries_.find(KeyView{netns, name});
  if (place == entries_.end())
    entries_.emplace(Key{netns, std::string(name)}, Entry{index, generation_});
  else
    place.value() = {index, generation_};
}

void NameCache::drop(uint32_t netns, std::string_view name) {
  auto place = entries_.find(KeyView{netns, name});
  if (place != entries_.end()) place.value().index = 0;
}

}  // namespace netbatch
