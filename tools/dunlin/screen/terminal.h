// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace dunlin::cli {

enum class Colour { none, green, yellow, red, dim, bold };

/// What a stream can show.
struct Terminal {
  bool interactive = false;  ///< Somebody watches: bars and repainting make sense.
  bool colours = false;
  std::size_t columns = 0;  ///< 0: no limit.

  /// Looks at the stream, at NO_COLOR and at TERM.
  static Terminal of(std::FILE* stream, bool no_colour);

  /// `text` in a colour, where colours are shown.
  std::string paint(std::string_view text, Colour colour) const;
};

}  // namespace dunlin::cli
