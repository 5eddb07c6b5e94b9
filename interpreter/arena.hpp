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
  // Forgets everything, and keeps one block.
  void clear() {
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    next_ = blocks_.empty() ? nullptr : blocks_.back().get();
    left_ = blocks_.empty() ? 0 : last_size_;
  }

 private:
  void grow(size_t size) {
    last_size_ = size > kBlock ? size : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(last_size_));
    next_ = blocks_.back().get();
    left_ = last_size_;
  }
  static constexpr size_t kBlock = 64 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t last_size_ = 0;
};

}  // namespace netbatch
