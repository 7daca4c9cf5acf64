// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "config/text_table.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

using config::Align;
using config::Column;

struct Cell {
  std::string text;
  Colour colour = Colour::none;

  Cell(std::string text, Colour colour = Colour::none) : text(std::move(text)), colour(colour) {}
  Cell(const char* text) : text(text) {}
};

/// A table with colours. Where a line would wrap on the terminal, its last column gives way; then
/// columns of little importance are left out, and a line below the table names them. Texts are made
/// printable.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : table_(std::move(columns)) {}

  /// Requires as many cells as there are columns.
  void add(const std::vector<Cell>& row);
  bool empty() const { return size() == 0; }
  std::size_t size() const { return table_.size(); }

  /// The whole table, every line ended.
  std::string render(const Terminal& terminal) const;

 private:
  config::TextTable table_;
  std::vector<std::vector<Colour>> colours_;  ///< The colours of each row's cells.
};

}  // namespace dunlin::cli
