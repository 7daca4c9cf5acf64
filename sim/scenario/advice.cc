// SPDX-License-Identifier: MIT
#include "sim/scenario/advice.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dunlin::sim {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

tl::unexpected<Error> wrong(std::string place, const std::string& text) {
  return failure(ErrorKind::usage, std::move(place) + ": " + text);
}

std::string place_of(const std::string& file, const toml::source_region& source) {
  return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

std::string advice(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest =
      std::ranges::min_element(known, {}, [&](const auto& k) { return edit_distance(word, k); });
  if (nearest != known.end() && edit_distance(word, *nearest) <= 2) {
    return "; did you mean '" + *nearest + "'?";
  }
  std::string all;
  for (const auto& each : known) all += (all.empty() ? "; expected one of: " : ", ") + each;
  return all;
}

}  // namespace dunlin::sim
