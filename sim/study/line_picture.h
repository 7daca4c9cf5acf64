// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/study/summary.h"

namespace dunlin::sim {

/// The words with which gnuplot draws one picture; see draw().
struct PictureText {
  std::string script;  ///< The data as named blocks, the axes and the title.
  std::string plot;    ///< The plot command.
};

/// A figure over the plan's first axis, a line for each combination of the others, with confidence
/// intervals, and the plan's references beside them. `measure` counts figures(). Requires an axis.
PictureText line_picture(const Study& study, const Summary& summary, std::size_t measure);

}  // namespace dunlin::sim
