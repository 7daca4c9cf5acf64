// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace dunlin::test {

/// [first, last) as DUNLIN_SEED asks ("17" or "1000-2000"), or empty.
inline std::pair<std::uint64_t, std::uint64_t> asked_for() {
  const char* text = std::getenv("DUNLIN_SEED");
  if (text == nullptr) return {0, 0};
  const std::string_view range(text);
  std::uint64_t first = 0;
  const char* const end = range.data() + range.size();
  const auto at = std::from_chars(range.data(), end, first).ptr;
  std::uint64_t last = first;
  if (at != end) std::from_chars(at + 1, end, last);
  return {first, last + 1};
}

}  // namespace dunlin::test
