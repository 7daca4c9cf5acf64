// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/table.h"

#include "config/text.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {

void Table::add(const std::vector<Cell>& row) {
  std::vector<std::string> texts;
  std::vector<Colour> colours;
  for (const Cell& cell : row) {
    // Names come from users: none of them may move the cursor or colour the line.
    texts.push_back(printable(cell.text));
    colours.push_back(cell.colour);
  }
  table_.add(std::move(texts));
  colours_.push_back(std::move(colours));
}

std::string Table::render(const Terminal& terminal) const {
  std::string text =
      table_.text(terminal.columns, [&](std::size_t row, std::size_t column, const auto& cell) {
        // Painted last: codes of colours have no width, and columns were counted without them.
        return terminal.paint(cell, row == 0 ? Colour::dim : colours_[row - 1][column]);
      });
  std::string headers;
  for (const auto& header : table_.left_out(terminal.columns)) {
    headers += (headers.empty() ? "" : ", ") + header;
  }
  if (headers.empty()) return text;
  const std::string note = "(no room for " + headers + ": widen the terminal, or use --json)";
  return text + terminal.paint(config::shortened(note, terminal.columns), Colour::dim) + "\n";
}

}  // namespace dunlin::cli
