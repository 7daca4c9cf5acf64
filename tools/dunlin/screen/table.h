// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::left;
};

struct Cell {
  std::string text;
  Colour colour = Colour::none;

  Cell(std::string text, Colour colour = Colour::none) : text(std::move(text)), colour(colour) {}
  Cell(const char* text) : text(text) {}
};

/// Rows under headers, every column as wide as it needs to be. On a terminal the last column gives
/// way when a line would wrap. Texts are made printable.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Requires as many cells as there are columns.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }

  /// The whole table, every line ended.
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace dunlin::cli
