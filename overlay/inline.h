// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "overlay/ensure.h"

namespace dunlin::overlay {

/// A vector of at most N elements that lives in place: no allocation, a bound in its type.
/// T must be default-constructible. Copies cost N elements, so keep N small. A contiguous range: it
/// converts to std::span by itself.
template <typename T, std::size_t N>
class Inline {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  constexpr Inline() = default;
  constexpr Inline(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }

  static constexpr std::size_t capacity() { return N; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr bool full() const { return size_ == N; }

  constexpr T* begin() { return items_.data(); }
  constexpr T* end() { return items_.data() + size_; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }

  constexpr T& operator[](std::size_t i) {
    ensure(i < size_, "index beyond an Inline");
    return items_[i];
  }
  constexpr const T& operator[](std::size_t i) const {
    ensure(i < size_, "index beyond an Inline");
    return items_[i];
  }
  constexpr T& back() { return (*this)[size_ - 1]; }
  constexpr const T& back() const { return (*this)[size_ - 1]; }

  /// Requires !full().
  constexpr void push_back(T item) {
    ensure(size_ < N, "an Inline over its capacity");
    items_[size_++] = std::move(item);
  }
  /// False, and nothing changed, if full.
  constexpr bool try_push(T item) {
    if (full()) return false;
    push_back(std::move(item));
    return true;
  }
  /// False, and nothing changed, if `size` exceeds the capacity. New elements are defaults.
  [[nodiscard]] constexpr bool resize(std::size_t size) {
    if (size > N) return false;
    for (std::size_t i = size_; i < size; ++i) items_[i] = T{};
    size_ = static_cast<unsigned>(size);
    return true;
  }
  constexpr void clear() { size_ = 0; }

  /// Removes element i; the last one takes its place.
  constexpr void erase_unordered(std::size_t i) {
    ensure(i < size_, "erase beyond an Inline");
    if (i + 1 != size_) items_[i] = std::move(items_[size_ - 1]);
    --size_;
  }
  /// Removes element i; those behind it move up.
  constexpr void erase(std::size_t i) {
    ensure(i < size_, "erase beyond an Inline");
    std::move(begin() + i + 1, end(), begin() + i);
    --size_;
  }

  friend constexpr bool operator==(const Inline& a, const Inline& b) {
    return std::ranges::equal(a, b);
  }

 private:
  std::array<T, N> items_{};
  unsigned size_ = 0;
};

}  // namespace dunlin::overlay
