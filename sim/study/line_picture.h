// SPDX-License-Identifier: MIT
#pragma once

#include "sim/report/gnuplot.h"
#include "sim/study/shown.h"

namespace dunlin::sim {

/// A figure over the plan's first axis, a line for each combination of the others, with confidence
/// intervals, and the plan's references beside them if it is a figure as measured. Requires an
/// axis.
Picture line_picture(const Study& study, const Summary& summary, const Shown& shown);

}  // namespace dunlin::sim
