// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sim/report/gnuplot.h"
#include "sim/study/shown.h"

namespace dunlin::sim {

/// The columns of a picture of so many panels, its key among them: as many as rows, or one more.
std::size_t panel_columns(std::size_t panels);

/// The columns of text that fit beside a panel of a picture with so many rows of them.
std::size_t label_columns(std::size_t rows);

/// A star: a panel for each axis but the first, in which it alone is moved, with a line for each
/// value of the first. Requires the design of a star.
Picture star_picture(const Study& study, const Summary& summary, const Shown& shown);

/// A panel for each value of the plan's last axis that varies, over the first axis, with a line for
/// each combination of the others. All panels have one scale and one key. Requires two axes.
Picture facet_picture(const Study& study, const Summary& summary, const Shown& shown);

/// A map of the first two axes that vary: a field for each pair of values, coloured by the figure
/// and with its value in it. Requires that two axes vary, and no others.
Picture heat_picture(const Study& study, const Summary& summary, const Shown& shown);

}  // namespace dunlin::sim
