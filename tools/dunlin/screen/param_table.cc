// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/param_table.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "config/text.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// Meanings are what the table is read for, and they are sentences: cut, they say nothing.
namespace dunlin::cli {
namespace {

/// The least width in which sentences read well.
constexpr std::size_t kMeaningMin = 40;
constexpr std::size_t kBetween = 2;
constexpr std::size_t kBelow = 4;

}  // namespace

std::string param_table(const Json& params, const std::string& values, const Terminal& terminal) {
  Table table({{"PARAMETER"}, {values}, {"RANGE"}});
  std::vector<std::string> meanings;
  for (const Json& param : params) {
    table.add({value<std::string>(param, "key"), value<std::string>(param, "value"),
        value<std::string>(param, "range")});
    meanings.push_back(printable(value<std::string>(param, "meaning")));
  }
  // Without a limit of columns, so that no value is cut: meanings give way, and wrap.
  std::istringstream rows(table.render({.interactive = false, .colours = false, .columns = 0}));
  std::vector<std::string> lines;
  std::size_t widest = 0;
  for (std::string line; std::getline(rows, line);) {
    widest = std::max(widest, config::columns_of(line));
    lines.push_back(line);
  }
  const std::size_t taken = widest + kBetween;
  // Else below each line: a narrow column of sentences is hard to read.
  const bool beside = terminal.columns == 0 || taken + kMeaningMin <= terminal.columns;
  std::string text = terminal.paint(lines.at(0) +
          (beside ? std::string(taken - config::columns_of(lines[0]), ' ') + "MEANING" : ""),
      Colour::dim);
  text += "\n";
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    std::string line = lines.at(i + 1);
    if (!beside) {
      text += line + "\n";
      line = "";
    }
    const std::size_t indent = beside ? taken : kBelow;
    line.append(indent - config::columns_of(line), ' ');
    text += config::wrapped(line + meanings[i], terminal.columns, indent) + "\n";
  }
  return text;
}

}  // namespace dunlin::cli
