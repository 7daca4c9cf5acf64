// SPDX-License-Identifier: MIT
#include "sim/scenario/advice.h"

#include <algorithm>
#include <utility>

#include "config/text.h"

namespace dunlin::sim {

tl::unexpected<Error> wrong(std::string place, const std::string& text) {
  return failure(ErrorKind::usage, std::move(place) + ": " + text);
}

std::string place_of(const std::string& file, const toml::source_region& source) {
  return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

std::string advice(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const auto& k) { return config::edit_distance(word, k); });
  if (nearest != known.end() && config::edit_distance(word, *nearest) <= 2) {
    return "; did you mean '" + *nearest + "'?";
  }
  std::string all;
  for (const auto& each : known) all += (all.empty() ? "; expected one of: " : ", ") + each;
  return all;
}

}  // namespace dunlin::sim
