// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace dunlin::sim {

/// The key of a picture: below the frame, in as many columns as its longest entry allows, so that
/// the frame stays as large as it is however many lines there are.
struct Key {
  std::string command;  ///< What sets it.
  unsigned rows = 0;
};

/// The key of `entries` lines, the longest name of which takes `longest` columns; none if all names
/// are empty. `title` may be empty.
inline Key key_of(std::size_t entries, std::size_t longest, const std::string& quoted_title) {
  if (entries == 0 || longest == 0) return {.command = "set key off\n", .rows = 0};
  constexpr std::size_t kColumns = 96;  // Of text, in the width of a picture.
  constexpr std::size_t kSample = 9;    // What the sample of a line takes of them.
  constexpr std::size_t kAtOnce = 5;
  const std::size_t fit = kColumns / (longest + kSample);
  const std::size_t columns = fit < 1 ? 1 : fit > kAtOnce ? kAtOnce : fit;
  const auto rows = static_cast<unsigned>((entries + columns - 1) / columns);
  const bool titled = quoted_title != "''";
  return {.command = "set key outside below center horizontal maxcols " + std::to_string(columns) +
          (titled ? " title \"\\n\"." + quoted_title + " noenhanced" : "") + "\n",
      .rows = rows + (titled ? 2u : 0u)};
}

}  // namespace dunlin::sim
