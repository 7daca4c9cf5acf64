// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/table.h"

#include <algorithm>

#include "overlay/ensure.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

constexpr std::size_t kGap = 2;
/// A column is not squeezed below this: a wrapped line is better than no word at all.
constexpr std::size_t kLeast = 12;

}  // namespace

void Table::add(std::vector<Cell> row) {
  ensure(row.size() == columns_.size(), "a row has a cell for each column");
  for (Cell& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::string Table::render(const Terminal& terminal) const {
  std::vector<std::size_t> widths;
  std::size_t before_last = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns_of(columns_[i].header));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns_of(row[i].text));
    if (i + 1 < columns_.size()) before_last += widths[i] + kGap;
  }
  if (terminal.columns != 0 && before_last + widths.back() > terminal.columns) {
    const std::size_t left = terminal.columns - std::min(before_last, terminal.columns);
    widths.back() = std::max(left, kLeast);
  }

  std::string out;
  const auto line = [&](auto&& cell_of) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool last = i + 1 == columns_.size();
      const Cell& cell = cell_of(i);
      const std::string text = shortened(cell.text, widths[i]);
      const std::string padding(widths[i] - columns_of(text), ' ');
      if (columns_[i].align == Align::right) out += padding;
      out += terminal.paint(text, cell.colour);
      if (columns_[i].align == Align::left && !last) out += padding;
      if (!last) out.append(kGap, ' ');
    }
    out += '\n';
  };
  std::vector<Cell> headers;
  for (const Column& column : columns_) headers.emplace_back(column.header, Colour::dim);
  line([&](std::size_t i) -> const Cell& { return headers[i]; });
  for (const auto& row : rows_) line([&](std::size_t i) -> const Cell& { return row[i]; });
  return out;
}

}  // namespace dunlin::cli
