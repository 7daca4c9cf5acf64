// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/study/shown.h"

namespace dunlin::sim {

/// From `at` on, `left` is the share of runs in which something has not come yet.
struct SurvivalStep {
  double at = 0;
  double left = 1;
};

/// The share over time, from 0 on. Readings of runs that do not have the figure do not count.
std::vector<SurvivalStep> survival_of(std::vector<Reading> readings);

/// A figure that did not come in each run: a line for each row, which falls when it comes in a run.
Picture survival_picture(const Study& study, const Summary& summary, const Shown& shown);

}  // namespace dunlin::sim
