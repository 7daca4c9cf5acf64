// SPDX-License-Identifier: MIT
#include "web/http/byte_range.h"

#include <algorithm>
#include <charconv>

namespace dunlin::web {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace

RangeWish parse_range(std::string_view value, std::uint64_t total) {
  constexpr std::string_view kUnit = "bytes=";
  if (!value.starts_with(kUnit)) return {};
  value.remove_prefix(kUnit.size());
  const auto dash = value.find('-');
  if (dash == value.npos) return {};
  const auto first = whole_number(value.substr(0, dash));
  const auto last = whole_number(value.substr(dash + 1));
  if (dash == 0) {  // So many from the end.
    if (!last) return {};
    const auto count = std::min(*last, total);
    if (count == 0) return {.wanted = true};
    return {.wanted = true, .range = ByteRange{total - count, count}};
  }
  const bool open = dash + 1 == value.size();
  if (!first || (!last && !open) || (last && *last < *first)) return {};
  if (*first >= total) return {.wanted = true};
  const auto end = open ? total - 1 : std::min(*last, total - 1);
  return {.wanted = true, .range = ByteRange{*first, end - *first + 1}};
}

}  // namespace dunlin::web
