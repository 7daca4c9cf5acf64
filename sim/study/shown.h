// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "sim/study/summary.h"

namespace dunlin::sim {

/// What a picture of a summary shows: one estimate of each row.
struct Shown {
  std::size_t measure = 0;           ///< Counts figures(), and the estimates of a row.
  std::string meaning;               ///< The title of its axis.
  std::string note;                  ///< The line below the title: what the bars are.
  std::optional<double> level = {};  ///< A value to hold the others against ...
  std::string level_name = {};       ///< ... and what it is.
};

/// A figure as it was measured.
Shown shown_figure(const Summary& summary, std::size_t measure);

/// "means of 5 runs; bars: 95 % confidence (Student's t)"; "single runs".
std::string note_on_runs(const Summary& summary, std::size_t measure);

/// A figure of each row less that of the row it is compared with, run by run, in place of the
/// figure itself; and what to call it. What seeds have in common cancels out, so that intervals
/// tell the effect of the settings alone. Where the figure spans orders of magnitude it is a
/// multiple instead. Rows that others are compared with have none, but for those of a star, where
/// they are the level. Empty if no two rows have two runs in common.
struct Paired {
  Summary summary;
  Shown shown;
};
std::optional<Paired> paired_of(const StudyPlan& plan, const Summary& summary, std::size_t measure);

}  // namespace dunlin::sim
