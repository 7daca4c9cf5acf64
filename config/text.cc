// SPDX-License-Identifier: MIT
#include "config/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "overlay/ensure.h"

namespace dunlin::config {

// Row by row through the table of distances between beginnings of `a` and beginnings of `b`; only
// one row is kept.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
        std::string_view("_-./:=,+@%{}").find(c) != std::string_view::npos;
  };
  // Shells expand {a,b} and {1..9}, but leave %{NAME} alone.
  const bool expands = word.find('{') != std::string_view::npos &&
      (word.find(',') != std::string_view::npos || word.find("..") != std::string_view::npos);
  if (!word.empty() && !expands && std::ranges::all_of(word, plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  std::size_t end = 0;
  for (std::size_t taken = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && ++taken == columns) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string progress_bar(std::uint64_t done, std::uint64_t total, std::size_t width) {
  ensure(done <= total, "more is done than there is to do");
  const auto filled = static_cast<std::size_t>(done * width / std::max<std::uint64_t>(total, 1));
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
}

}  // namespace dunlin::config
