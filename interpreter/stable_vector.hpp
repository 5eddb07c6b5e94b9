#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace netbatch {

// Grows without moving what is in it.
template <class T>
class StableVector {
 public:
  T& emplace_back() {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique<T[]>(kChunk));
    return (*this)[size_++];
  }
  T& operator[](size_t index) { return chunks_[index / kChunk][index % kChunk]; }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kChunk = 64;
  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t size_ = 0;
};

}  // namespace netbatch
