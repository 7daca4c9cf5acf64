// SPDX-License-Identifier: MIT
#include "sched/listing/name_pattern.h"

#include <cstddef>

namespace dunlin::sched {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// The place after the set that begins at `at` with a '['; npos if it has no end.
std::size_t end_of_set(std::string_view pattern, std::size_t at) {
  std::size_t first = at + 1;
  if (first < pattern.size() && (pattern[first] == '!' || pattern[first] == '^')) ++first;
  const std::size_t end = pattern.find(']', first + 1);  // A ']' that comes first means itself.
  return end == std::string_view::npos ? end : end + 1;
}

bool in_set(std::string_view set, unsigned char byte) {
  const bool inverted = set[1] == '!' || set[1] == '^';
  bool found = false;
  for (std::size_t at = inverted ? 2 : 1; at + 1 < set.size(); ++at) {
    const unsigned char low = byte_at(set, at);
    unsigned char high = low;
    if (set[at + 1] == '-' && at + 3 < set.size()) {
      high = byte_at(set, at + 2);
      at += 2;
    }
    found = found || (low <= byte && byte <= high);
  }
  return found != inverted;
}

/// The place after what stands for `byte` at `at` of the pattern; npos if it does not.
std::size_t after_one(std::string_view pattern, std::size_t at, char byte) {
  constexpr std::size_t kNo = std::string_view::npos;
  if (pattern[at] == '?') return at + 1;
  if (pattern[at] == '[') {
    const std::size_t end = end_of_set(pattern, at);
    if (end != kNo) {
      const bool in = in_set(pattern.substr(at, end - at), static_cast<unsigned char>(byte));
      return in ? end : kNo;
    }
  }
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  return pattern[at] == byte ? at + 1 : kNo;
}

}  // namespace

// Only the last star need take more when what follows it fails: earlier ones took as little as they
// could. So the time is that of the product of both lengths at most.
bool matches(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNo = std::string_view::npos;
  std::size_t at = 0;
  std::size_t here = 0;
  std::size_t star = kNo;
  std::size_t star_at = 0;
  while (here < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      star_at = here;
      continue;
    }
    const std::size_t next = at < pattern.size() ? after_one(pattern, at, text[here]) : kNo;
    if (next != kNo) {
      at = next;
      ++here;
    } else if (star != kNo) {
      at = star;
      here = ++star_at;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace dunlin::sched
