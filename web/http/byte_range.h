// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dunlin::web {

/// Some bytes of a whole.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What the value of a header Range asks for of a whole of `total` bytes.
struct RangeWish {
  bool wanted = false;             ///< False: no header, or none that is understood: all is told.
  std::optional<ByteRange> range;  ///< Empty though wanted: there are no such bytes.
};
/// Everything else that a header may say, such as several ranges, other units or an end before its
/// begin, counts as no header: RFC 9110 (section 14.2) lets a server tell all of it then, and
/// clients must be ready for that.
/// One range alone is understood: "bytes=5-9", "bytes=5-" and "bytes=-5" (RFC 9110, section 14.2).
RangeWish parse_range(std::string_view value, std::uint64_t total);

}  // namespace dunlin::web
