// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

#include "overlay/ensure.h"

namespace dunlin::overlay {

/// A vector of at most N elements that lives in place: no allocation, and the bound stands in its
/// type. A copy costs the elements held, not N, so large bounds are cheap. A contiguous range: it
/// converts to std::span by itself.
template <typename T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  /// Leaves the elements uninitialised: to zero them would cost more than most messages do.
  InlineVector() {}
  InlineVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  InlineVector(const InlineVector& other) { append(other); }
  InlineVector(InlineVector&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    append(std::move(other));
  }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    clear();
    append(other);
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    clear();
    append(std::move(other));
    return *this;
  }
  ~InlineVector() { clear(); }

  static constexpr std::size_t capacity() { return N; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == N; }

  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }

  T& operator[](std::size_t i) {
    ensure(i < size_, "index beyond an InlineVector");
    return items_[i];
  }
  const T& operator[](std::size_t i) const {
    ensure(i < size_, "index beyond an InlineVector");
    return items_[i];
  }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  /// Requires !full().
  void push_back(const T& item) { emplace_back(item); }
  void push_back(T&& item) { emplace_back(std::move(item)); }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    ensure(size_ < N, "an InlineVector over its capacity");
    T* const made = std::construct_at(items_ + size_, std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  /// False, and nothing changed, if full.
  bool try_push(T item) {
    if (full()) return false;
    push_back(std::move(item));
    return true;
  }
  /// False, and nothing changed, if `size` exceeds the capacity. New elements are defaults.
  [[nodiscard]] bool resize(std::size_t size) {
    if (size > N) return false;
    while (size_ > size) std::destroy_at(items_ + --size_);
    while (size_ < size) std::construct_at(items_ + size_++);
    return true;
  }
  void clear() {
    std::destroy_n(items_, size_);
    size_ = 0;
  }

  /// Removes element i; the elements behind it move up.
  void erase(std::size_t i) {
    ensure(i < size_, "erase beyond an InlineVector");
    std::move(begin() + i + 1, end(), begin() + i);
    std::destroy_at(items_ + --size_);
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::ranges::equal(a, b);
  }

 private:
  void append(const InlineVector& other) {
    std::uninitialized_copy_n(other.items_, other.size_, items_);
    size_ = other.size_;
  }
  void append(InlineVector&& other) {
    std::uninitialized_move_n(other.items_, other.size_, items_);
    size_ = other.size_;
  }

  union {
    T items_[N];  ///< Only the first size_ of them are alive.
  };
  unsigned size_ = 0;
};

}  // namespace dunlin::overlay
