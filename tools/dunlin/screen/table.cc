// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/table.h"

#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

void Table::add(const std::vector<Cell>& row) {
  std::vector<std::string> texts;
  std::vector<Colour> colours;
  for (const Cell& cell : row) {
    texts.push_back(printable(cell.text));
    colours.push_back(cell.colour);
  }
  table_.add(std::move(texts));
  colours_.push_back(std::move(colours));
}

std::string Table::render(const Terminal& terminal) const {
  return table_.text(terminal.columns, [&](std::size_t row, std::size_t column, const auto& text) {
    return terminal.paint(text, row == 0 ? Colour::dim : colours_[row - 1][column]);
  });
}

}  // namespace dunlin::cli
