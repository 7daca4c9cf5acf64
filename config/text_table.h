// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dunlin::config {

/// Where the cells of a column stand. `by_content`: on the right if all are numbers or "-".
enum class Align { left, right, by_content };

struct Column {
  std::string header;
  Align align = Align::left;
};

/// Rows under headers, each column as wide as it needs to be, with two blanks between columns.
class TextTable {
 public:
  /// How a cell looks on a terminal: its text with the codes of a colour around it. Row 0 holds the
  /// headers. The text that comes back must take as many columns.
  using Paint =
      std::function<std::string(std::size_t row, std::size_t column, const std::string& text)>;

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// A table whose columns are all aligned by their content.
  static TextTable by_content(const std::vector<std::string>& headers);

  /// Requires as many cells as there are columns.
  void add(std::vector<std::string> cells);
  std::size_t size() const { return rows_.size(); }

  /// The whole table, every line ended, without blanks at the ends of lines. If lines would be
  /// wider than `width` columns (0: no limit), the last column is cut, but never below 12 columns:
  /// a wrapped line is better than no word at all.
  std::string text(std::size_t width = 0, const Paint& paint = {}) const;

 private:
  std::vector<std::size_t> widths(std::size_t width) const;
  std::vector<bool> right_aligned() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dunlin::config
