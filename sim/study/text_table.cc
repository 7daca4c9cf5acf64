// SPDX-License-Identifier: MIT
#include "sim/study/text_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "overlay/ensure.h"
#include "sim/measure/text.h"

namespace dunlin::sim {
namespace {

constexpr int kDigits = 4;          // Of a value that is known exactly, or nearly so.
constexpr int kIntervalDigits = 2;  // Of a confidence interval.
constexpr int kDecimalsMax = 9;

/// Decimals that show `digits` digits of `value`, which is not 0.
int decimals_of(double value, int digits) {
  return digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
}

/// printf's %.*f, with the thousands set apart.
std::string fixed_text(double value, int decimals) {
  std::string text = text_of("%.*f", decimals, value);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

/// Characters, not bytes, of UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_number(const std::string& cell) {
  const auto first = static_cast<unsigned char>(cell.empty() ? 'x' : cell.front());
  return std::isdigit(first) != 0 || (first == '-' && cell.size() > 1) || cell == "-";
}

}  // namespace

std::string text_of(const Estimate& estimate) {
  if (estimate.count == 0) return "-";
  int decimals = estimate.mean == 0 ? 0 : decimals_of(estimate.mean, kDigits);
  if (estimate.half_width > 0) {
    // A wide interval leaves fewer digits; a narrow one does not ask for more.
    const int sensible = decimals_of(estimate.half_width, kIntervalDigits);
    decimals = estimate.mean == 0 ? sensible : std::min(decimals, sensible);
  }
  decimals = std::clamp(decimals, 0, kDecimalsMax);
  std::string text = fixed_text(estimate.mean, decimals);
  if (estimate.half_width > 0) text += " ± " + fixed_text(estimate.half_width, decimals);
  return text;
}

void TextTable::add(std::vector<std::string> cells) {
  ensure(rows_.empty() || cells.size() == rows_.front().size(), "a row of other columns");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  if (rows_.empty()) return "";
  std::string text;
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> numbers(columns, true);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], width_of(rows_[row][i]));
      if (row > 0 && !is_number(rows_[row][i])) numbers[i] = false;
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (numbers[i] ? blanks + row[i] : row[i] + blanks);
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + '\n';
  }
  return text;
}

}  // namespace dunlin::sim
