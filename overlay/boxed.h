// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "overlay/ensure.h"

// A simulation holds a million peers in memory. These types give a part that most peers lack most
// of the time the space of a pointer.
namespace dunlin::overlay {

/// Perhaps a T, on the heap. A value: a copy copies it.
template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(const Boxed& other) : held_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Boxed() = default;

  explicit operator bool() const { return held_ != nullptr; }
  T& operator*() { return checked(); }
  const T& operator*() const { return checked(); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &checked(); }

  template <typename... Args>
  T& emplace(Args&&... args) {
    held_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *held_;
  }
  void reset() { held_.reset(); }

 private:
  /// An empty box has no value to give: to use one is a bug of the caller.
  T& checked() const {
    ensure(held_ != nullptr, "what is in an empty box");
    return *held_;
  }

  std::unique_ptr<T> held_;
};

/// A vector that is empty nearly always. It keeps no memory then.
template <typename T>
class LazyVector {
 public:
  std::size_t size() const { return items_ ? items_->size() : 0; }
  bool empty() const { return !items_; }
  T* begin() { return items_ ? items_->data() : nullptr; }
  T* end() { return begin() + size(); }
  const T* begin() const { return items_ ? items_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  T& operator[](std::size_t i) { return (*items_)[i]; }
  const T& operator[](std::size_t i) const { return (*items_)[i]; }

  T& push_back(T item) {
    if (!items_) items_.emplace();
    items_->push_back(std::move(item));
    return items_->back();
  }
  /// Removes element i; the elements behind it move up.
  void erase(std::size_t i) {
    ensure(i < size(), "erase beyond a LazyVector");
    items_->erase(items_->begin() + static_cast<std::ptrdiff_t>(i));
    if (items_->empty()) items_.reset();
  }
  void erase_if(auto&& doomed) {
    if (!items_) return;
    std::erase_if(*items_, doomed);
    if (items_->empty()) items_.reset();
  }

 private:
  Boxed<std::vector<T>> items_;
};

}  // namespace dunlin::overlay
