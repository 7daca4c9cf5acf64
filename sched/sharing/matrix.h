// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "overlay/ensure.h"

namespace dunlin::sched {

/// A table of nodes by classes, kept by rows: a node's row is one span. An index out of bounds ends
/// the program (ensure).
template <typename T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns, T value = {})
      : rows_(rows),
        columns_(columns),
        items_(rows * columns, value) {}
  /// Requires rows of equal length.
  Matrix(std::initializer_list<std::initializer_list<T>> rows) : rows_(rows.size()) {
    for (const auto& row : rows) {
      columns_ = row.size();
      items_.insert(items_.end(), row);
    }
    ensure(items_.size() == rows_ * columns_, "rows of different lengths");
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return items_.empty(); }
  bool has_size(std::size_t rows, std::size_t columns) const {
    return rows_ == rows && columns_ == columns;
  }

  T& operator()(std::size_t row, std::size_t column) { return items_[index(row, column)]; }
  const T& operator()(std::size_t row, std::size_t column) const {
    return items_[index(row, column)];
  }
  std::span<T> row(std::size_t row) { return std::span(items_).subspan(row * columns_, columns_); }
  std::span<const T> row(std::size_t row) const {
    return std::span(items_).subspan(row * columns_, columns_);
  }
  const std::vector<T>& items() const { return items_; }

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  std::size_t index(std::size_t row, std::size_t column) const {
    ensure(row < rows_ && column < columns_, "a place outside of a matrix");
    return row * columns_ + column;
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<T> items_;
};

}  // namespace dunlin::sched
