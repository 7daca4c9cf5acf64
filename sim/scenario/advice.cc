// SPDX-License-Identifier: MIT
#include "sim/scenario/advice.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <utility>

#include "config/byte_order_mark.h"
#include "config/text.h"

namespace dunlin::sim {

tl::unexpected<Error> wrong(std::string place, const std::string& text) {
  return failure(ErrorKind::usage, std::move(place) + ": " + text);
}

std::string place_of(const std::string& file, const toml::source_region& source) {
  return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

Result<std::string> read_text(const std::string& file) {
  std::ifstream in(file);
  if (!in) return failure_of(errno, file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return failure_of(errno, file);
  return std::string(config::without_mark(text));
}

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  toml::parse_result parsed = toml::parse(text, file);
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& error = parsed.error();
  return wrong(place_of(file, error.source()), std::string(error.description()));
}

std::string advice(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const auto& k) { return config::edit_distance(word, k); });
  // More than two letters apart, a word is another word.
  if (nearest != known.end() && config::edit_distance(word, *nearest) <= 2) {
    return "; did you mean '" + *nearest + "'?";
  }
  constexpr std::size_t kListed = 100;
  if (known.size() > kListed) return "; `dunlin-sim params` lists all";
  std::string all;
  for (const auto& each : known) all += (all.empty() ? "; expected one of: " : ", ") + each;
  return all;
}

}  // namespace dunlin::sim
