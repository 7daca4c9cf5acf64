// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "config/text_table.h"
#include "overlay/result.h"
#include "tools/dunlin/screen/column_choice.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

using config::Align;

/// How a column is headed, and which gives way first.
struct Column {
  std::string header;
  Align align = Align::left;
  unsigned importance = config::Column::kAlways;  ///< As of config::Column.
  /// What most users do not look for: shown only by `--wide`, or where it is named.
  bool extra = false;
  bool whole = false;  ///< As of config::Column.
};

/// A text, and its colour on a terminal that shows colours.
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
  explicit Table(std::vector<Column> columns);

  /// Says which columns are shown, instead of all that are not extra. What a list names is shown in
  /// any case. Fails (`usage`) for a name of no column, and names those that there are.
  Result<void> choose(const ColumnChoice& choice);
  /// Requires as many cells as there are columns.
  void add(const std::vector<Cell>& row);
  /// True without a row, whatever columns there are.
  bool empty() const { return size() == 0; }
  std::size_t size() const { return rows_.size(); }

  /// The whole table, every line ended.
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::size_t> shown_;  ///< Of these columns, in this order.
  bool choosable_ = false;          ///< The user can choose them.
  bool named_ = false;              ///< The user named the columns.
};

/// What `--columns` calls a column: "CPUS free/all" is "cpus", and "TASKS AS" is "tasks-as".
std::string column_name(const std::string& header);

}  // namespace dunlin::cli
