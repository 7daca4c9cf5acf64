// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace dunlin::cli {

/// The few that are used: green is well, yellow waits, red has failed; dim weighs less, bold more.
enum class Colour { none, green, yellow, red, dim, bold };

/// The abilities of a stream.
struct Terminal {
  bool interactive = false;  ///< A user watches: bars and repainting make sense.
  bool colours = false;
  std::size_t columns = 0;  ///< 0: no limit.

  /// Examines the stream, NO_COLOR and TERM.
  static Terminal of(std::FILE* stream, bool no_colour);

  /// `text` in a colour, if colours are shown.
  std::string paint(std::string_view text, Colour colour) const;
};

}  // namespace dunlin::cli
