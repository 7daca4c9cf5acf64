// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/table.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "config/text.h"
#include "overlay/ensure.h"
#include "tools/dunlin/screen/text.h"

// A table shows what most users look for. Whatever else is known of each line can be asked for, all
// of it or column by column, so that neither a terminal nor a pipe is full of figures that hardly
// anyone reads.
namespace dunlin::cli {

std::string column_name(const std::string& header) {
  std::istringstream words(header);
  std::string name;
  for (std::string word; words >> word;) {
    const auto capital = [](unsigned char c) { return std::isupper(c) != 0; };
    // "free/all" says what the figures are, and is no part of the name.
    if (!std::ranges::all_of(word, capital)) continue;
    name += (name.empty() ? "" : "-") + word;
  }
  std::ranges::transform(
      name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].extra) shown_.push_back(i);
  }
}

Result<void> Table::choose(const ColumnChoice& choice) {
  choosable_ = true;
  if (!choice.list.empty()) {
    std::vector<std::size_t> named;
    std::istringstream list(choice.list);
    for (std::string name; std::getline(list, name, ',');) {
      std::ranges::transform(
          name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const auto column = std::ranges::find(
          columns_, name, [](const Column& each) { return column_name(each.header); });
      if (column == columns_.end()) {
        std::string all;
        for (const Column& each : columns_) {
          all += (all.empty() ? "" : ",") + column_name(each.header);
        }
        return failure(ErrorKind::usage,
            "--columns: there is no column '" + printable(name) + "'; there are " + all);
      }
      named.push_back(static_cast<std::size_t>(column - columns_.begin()));
    }
    shown_ = std::move(named);
    // What was asked for by name is shown even where the line wraps.
    named_ = true;
  } else if (choice.wide) {
    shown_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) shown_.push_back(i);
  }
  return {};
}

void Table::add(const std::vector<Cell>& row) {
  ensure(row.size() == columns_.size(), "a row has a cell for each column");
  rows_.push_back(row);
  // Names come from users: none of them may move the cursor or colour the line.
  for (Cell& cell : rows_.back()) cell.text = printable(cell.text);
}

std::string Table::render(const Terminal& terminal) const {
  std::vector<config::Column> columns;
  for (const std::size_t i : shown_) {
    const Column& column = columns_[i];
    columns.push_back({column.header, column.align,
        named_ ? config::Column::kAlways : column.importance, column.whole});
  }
  config::TextTable table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> texts;
    for (const std::size_t i : shown_) texts.push_back(row[i].text);
    table.add(std::move(texts));
  }
  std::string text =
      table.text(terminal.columns, [&](std::size_t row, std::size_t column, const auto& cell) {
        // Painted last: codes of colours have no width, and columns were counted without them.
        return terminal.paint(cell, row == 0 ? Colour::dim : rows_[row - 1][shown_[column]].colour);
      });
  std::string headers;
  for (const auto& header : table.left_out(terminal.columns)) {
    headers += (headers.empty() ? "" : ", ") + header;
  }
  if (headers.empty()) return text;
  const std::string note = "(no room for " + headers + ": widen the terminal, or use " +
      (choosable_ ? "--columns LIST or " : "") + "--json)";
  return text + terminal.paint(config::shortened(note, terminal.columns), Colour::dim) + "\n";
}

}  // namespace dunlin::cli
