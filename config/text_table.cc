// SPDX-License-Identifier: MIT
#include "config/text_table.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "config/text.h"
#include "overlay/ensure.h"

namespace dunlin::config {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLastColumnMin = 12;

bool is_number(const std::string& cell) {
  const auto first = static_cast<unsigned char>(cell.empty() ? 'x' : cell.front());
  return std::isdigit(first) != 0 || (first == '-' && cell.size() > 1) || cell == "-";
}

}  // namespace

TextTable TextTable::by_content(const std::vector<std::string>& headers) {
  std::vector<Column> columns;
  columns.reserve(headers.size());
  for (const std::string& header : headers) columns.push_back({header, Align::by_content});
  return TextTable(std::move(columns));
}

void TextTable::add(std::vector<std::string> cells) {
  ensure(cells.size() == columns_.size(), "a row has a cell for each column");
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns_of(columns_[i].header));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

std::size_t TextTable::least_width(std::size_t column, std::size_t width) const {
  return columns_[column].whole ? width : std::min(width, kLastColumnMin);
}

std::vector<std::size_t> TextTable::shown(std::size_t width) const {
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  const auto widths = this->widths();
  const auto fits = [&] {
    std::size_t before_last = 0;
    for (const std::size_t i : shown) before_last += widths[i] + kGap;
    before_last -= widths[shown.back()] + kGap;
    return before_last + least_width(shown.back(), widths[shown.back()]) <= width;
  };
  while (width != 0 && !fits()) {
    const auto least_important = std::ranges::min_element(
        shown, {}, [this](std::size_t i) { return columns_[i].importance; });
    if (columns_[*least_important].importance == Column::kAlways) break;
    shown.erase(least_important);
  }
  return shown;
}

std::vector<std::string> TextTable::left_out(std::size_t width) const {
  const auto shown = this->shown(width);
  std::vector<std::string> headers;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (std::ranges::find(shown, i) == shown.end()) headers.push_back(columns_[i].header);
  }
  return headers;
}

std::vector<bool> TextTable::right_aligned() const {
  std::vector<bool> right;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool numbers = columns_[i].align == Align::by_content &&
        std::ranges::all_of(rows_, [i](const auto& row) { return is_number(row[i]); });
    right.push_back(numbers || columns_[i].align == Align::right);
  }
  return right;
}

std::string TextTable::text(std::size_t width, const Paint& paint) const {
  if (columns_.empty()) return "";
  const auto shown = this->shown(width);
  auto widths = this->widths();
  std::size_t before_last = 0;
  for (const std::size_t i : shown) before_last += i == shown.back() ? 0 : widths[i] + kGap;
  if (width != 0 && before_last + widths[shown.back()] > width) {
    widths[shown.back()] = std::max(
        width - std::min(before_last, width), least_width(shown.back(), widths[shown.back()]));
  }
  return text_of(shown, widths, paint);
}

std::string TextTable::stacked(std::size_t width, std::size_t keys) const {
  ensure(keys < columns_.size(), "a table of keys alone");
  const auto widths = this->widths();
  std::string out;
  std::size_t next = keys;
  while (next < columns_.size()) {
    std::vector<std::size_t> shown(keys);
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    std::size_t taken = 0;
    for (const std::size_t i : shown) taken += widths[i] + kGap;
    do {
      taken += widths[next] + kGap;
      shown.push_back(next++);
    } while (next < columns_.size() && (width == 0 || taken + widths[next] <= width));
    out += (out.empty() ? "" : "\n") + text_of(shown, widths, {});
  }
  return out;
}

std::string TextTable::text_of(const std::vector<std::size_t>& shown,
    const std::vector<std::size_t>& widths,
    const Paint& paint) const {
  const auto right = right_aligned();
  std::string out;
  for (std::size_t row = 0; row <= rows_.size(); ++row) {
    std::size_t blanks = 0;  // Written only if text follows them, so that no line ends in blanks.
    for (const std::size_t i : shown) {
      const std::string cell =
          shortened(row == 0 ? columns_[i].header : rows_[row - 1][i], widths[i]);
      const std::size_t padding = widths[i] - columns_of(cell);
      if (right[i]) blanks += padding;
      if (!cell.empty()) {
        out.append(blanks, ' ');
        out += paint ? paint(row, i, cell) : cell;
        blanks = 0;
      }
      blanks += (right[i] ? 0 : padding) + kGap;
    }
    out += '\n';
  }
  return out;
}

}  // namespace dunlin::config
