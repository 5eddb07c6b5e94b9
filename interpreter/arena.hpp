#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace netbatch {

// Bytes that live as long as the arena and never move.
class Arena {
 public:
  char* allocate(size_t size) {
    if (size > left_) grow(size);
    char* place = next_;
    next_ += size;
    left_ -= size;
    return place;
  }
  std::string_view copy(std::string_view text) {
    char* place = allocate(text.size());
    if (!text.empty()) std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }
  // How far the arena is filled: `rewind` forgets what was made after that, unless `clear` has done so.
  struct Mark {
    size_t blocks = 0;
    char* next = nullptr;
    size_t left = 0;
  };
  Mark mark() const { return {blocks_.size(), next_, left_}; }
  void rewind(const Mark& mark) {
    if (blocks_.size() > mark.blocks) blocks_.resize(mark.blocks);
    next_ = mark.next;
    left_ = mark.left;
  }
  // Forgets everything, and keeps one block.
  void clear() {
    if (blocks_.empty()) return;
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    next_ = blocks_.back().data.get();
    left_ = blocks_.back().size;
  }

 private:
  void grow(size_t size) {
    left_ = size > kBlock ? size : kBlock;
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(left_), left_});
    next_ = blocks_.back().data.get();
  }
  struct Block {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  static constexpr size_t kBlock = 64 * 1024;
  std::vector<Block> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace netbatch
