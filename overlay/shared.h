// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

namespace dunlin::overlay {

/// A value that many hold and none changes, such as parameters. A copy is one more holder, and
/// takes the space of a pointer. All holders live in one thread, so the count is no atomic.
template <typename T>
class Shared {
 public:
  // Implicit: the object that is handed a plain value becomes its first holder.
  Shared(T value) : cell_(new Cell{std::move(value), 1}) {}
  Shared(const Shared& other) : cell_(other.cell_) { ++cell_->holders; }
  /// A copy, not a move: every holder always has a value.
  Shared& operator=(Shared other) {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~Shared() { let_go(); }

  const T& operator*() const { return cell_->value; }
  const T* operator->() const { return &cell_->value; }

 private:
  struct Cell {
    T value;
    std::uint32_t holders;
  };

  void let_go() {
    if (--cell_->holders == 0) delete cell_;
  }

  Cell* cell_;
};

}  // namespace dunlin::overlay
