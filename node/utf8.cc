// SPDX-License-Identifier: MIT
#include "node/utf8.h"

#include <cstdint>

namespace dunlin::node {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned char second = byte(1);
  const bool malformed = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return malformed ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || text[0] == '\0') return false;
    text.remove_prefix(length);
  }
  return true;
}

// Also marks that change the direction of text or end a line: a name with one of them could make a
// line of a table look like another.
bool is_control(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  const unsigned char first = byte(0);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  if (sequence.size() == 2) {
    const bool c1 = first == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
    return c1 || sequence == "\u061c";
  }
  if (sequence.size() != 3) return false;
  const std::uint32_t code = (first & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
  return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
      (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace dunlin::node
