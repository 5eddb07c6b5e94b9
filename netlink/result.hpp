#pragma once

#include <utility>

namespace netbatch::netlink {

// A value, or the errno that stood in its way.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  static Result failure(int error) {
    Result result{T{}};
    result.error_ = error;
    return result;
  }
  explicit operator bool() const { return error_ == 0; }
  int error() const { return error_; }
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }

 private:
  T value_;
  int error_ = 0;
};

}  // namespace netbatch::netlink
