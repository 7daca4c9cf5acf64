// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dunlin::config {

/// The side on which the cells of a column stand. `by_content`: right if all are numbers or "-".
enum class Align { left, right, by_content };

struct Column {
  /// A column that is always shown.
  static constexpr unsigned kAlways = 100;

  std::string header;
  Align align = Align::left;
  /// Where lines would be too wide, columns of the least importance are left out first.
  unsigned importance = kAlways;
  /// Not cut where it is the last one: half an address is none.
  bool whole = false;
};

/// Rows under headers, each column as wide as it needs to be, with two blanks between columns.
class TextTable {
 public:
  /// Colours a cell: returns its text with the codes of a colour around it. Row 0 holds the
  /// headers. The result must take as many columns on a terminal.
  using Paint =
      std::function<std::string(std::size_t row, std::size_t column, const std::string& text)>;

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// A table with all columns aligned by their content.
  static TextTable by_content(const std::vector<std::string>& headers);

  /// Requires as many cells as there are columns.
  void add(std::vector<std::string> cells);
  std::size_t size() const { return rows_.size(); }

  /// The whole table, every line ended, without blanks at the ends of lines. If lines would be
  /// wider than `width` columns (0: no limit), the last column is cut, but never below 12 columns
  /// nor if it is to be whole; then columns are left out by their importance. Lines still wrap if
  /// those that are always shown do not fit: a wrapped line is better than no word at all.
  std::string text(std::size_t width = 0, const Paint& paint = {}) const;
  /// The whole table with nothing left out or cut: where lines would be wider than `width` columns
  /// (0: no limit), it is split into tables one under the other, an empty line between them, each
  /// of which begins with the first `keys` columns. A line still wraps if these and one more column
  /// do not fit. Requires keys < the number of columns.
  std::string stacked(std::size_t width, std::size_t keys) const;
  /// The headers of the columns that text(width) leaves out.
  std::vector<std::string> left_out(std::size_t width) const;

 private:
  /// The columns with these indices, as wide as `widths` says by index.
  std::string text_of(const std::vector<std::size_t>& shown,
      const std::vector<std::size_t>& widths,
      const Paint& paint) const;
  /// The columns that are shown, by their index.
  std::vector<std::size_t> shown(std::size_t width) const;
  /// The width that each column would like to have.
  std::vector<std::size_t> widths() const;
  /// The width to which a column may be cut where it is the last one, of `width` that it likes.
  std::size_t least_width(std::size_t column, std::size_t width) const;
  std::vector<bool> right_aligned() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dunlin::config
