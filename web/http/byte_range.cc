// SPDX-License-Identifier: MIT
#include "web/http/byte_range.h"

#include <algorithm>
#include <charconv>

// A header Range is a stranger's text. Nothing in it can fail a request but a range of which no
// byte is there: what is not understood is answered as if it were not there, and so a client gets
// more than it asked for, never something else.
namespace dunlin::web {
namespace {

/// Digits alone, all of the text: signs, blanks and numbers beyond 64 bits would be read
/// differently by a proxy that keeps parts of answers.
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
  // No digits before the dash: it counts from the end, and one that is longer than the whole means
  // the whole.
  if (dash == 0) {  // So many from the end.
    if (!last) return {};
    const auto count = std::min(*last, total);
    if (count == 0) return {.wanted = true};
    return {.wanted = true, .range = ByteRange{total - count, count}};
  }
  const bool open = dash + 1 == value.size();
  if (!first || (!last && !open) || (last && *last < *first)) return {};
  // Also of a whole that is empty: it has no first byte. The client learns by 416 how long it is.
  if (*first >= total) return {.wanted = true};
  // An end behind the last byte is no mistake: clients ask so when they do not know the length.
  const auto end = open ? total - 1 : std::min(*last, total - 1);
  return {.wanted = true, .range = ByteRange{*first, end - *first + 1}};
}

}  // namespace dunlin::web
