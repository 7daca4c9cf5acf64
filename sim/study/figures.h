// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dunlin::sim {

/// A figure of a run: its name in tables and axes, and its place in the run's JSON.
struct Figure {
  std::string_view name;
  /// A JSON pointer into what `run --json` writes.
  std::string_view pointer;
  std::string_view meaning = {};  ///< Its name in pictures; empty: `name`.
};

/// All figures that summaries hold.
std::span<const Figure> figures();

/// The place of a figure among them; their number if there is none of that name.
std::size_t figure_index(std::string_view name);

}  // namespace dunlin::sim
