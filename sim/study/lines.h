// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/study/shown.h"

// Rows of a summary become lines by what their settings say beyond the first axis. Numbers stand
// where they are on that axis, and a line joins them. Words stand one by one; nothing lies between
// two words, so points that belong to one word stand side by side and no line joins them.
namespace dunlin::sim {

/// The axis that a picture goes along.
class HorizontalAxis {
 public:
  explicit HorizontalAxis(const Axis& axis);

  /// True if all values are numbers or durations.
  bool numbers() const { return numbers_; }
  /// Where a value stands.
  double place_of(const std::string& value) const;
  /// The column that has the places, as a plot command names it, for line `i` of `count`: lines
  /// stand a little aside from each other, so that their bars do not lie on each other.
  std::string column(std::size_t i, std::size_t count) const;
  /// The commands that set its title, its ticks and its scale, which is logarithmic if its values
  /// are spaced so.
  std::string commands() const;

 private:
  std::string label() const;
  /// A tick at each value; empty if there are so many numbers that gnuplot chooses better.
  std::string ticks() const;
  /// True if the words do not fit side by side.
  bool crowded() const;

  const Axis& axis_;
  bool numbers_ = false;
  bool logarithmic_ = false;
  double min_ = 0;  ///< The place of the leftmost value ...
  double max_ = 0;  ///< ... and of the rightmost.
};

/// The names of lines: the values of the axes by which lines differ, and these axes as the title of
/// the key. `without` counts an axis that is told elsewhere, and so does each before `first`.
class LineNames {
 public:
  explicit LineNames(
      const StudyPlan& plan, std::optional<std::size_t> without = {}, std::size_t first = 1);

  std::string of(const Settings& settings) const;
  /// Empty if names speak for themselves.
  const std::string& title() const { return title_; }

 private:
  const StudyPlan& plan_;
  std::vector<std::size_t> axes_;
  std::string title_;
};

struct Line {
  std::string name;
  std::string rows;      ///< Place, mean, half of the interval; a line each.
  bool bars = false;     ///< Some interval is wider than nothing.
  std::size_t look = 0;  ///< Lines of one name look alike in all panels.
};

/// The lines of those rows that `is_here` says. All names of the summary have a line, so that looks
/// are the same whichever rows are here.
std::vector<Line> lines_of(const Summary& summary,
    const Shown& shown,
    const HorizontalAxis& axis,
    const LineNames& names,
    const std::function<bool(const SummaryRow&)>& is_here = {});

/// Adds the lines to `data` as blocks whose names begin with `prefix`. Returns what draws them,
/// without the word "plot".
std::string plot_lines(const std::vector<Line>& lines,
    const HorizontalAxis& axis,
    const std::string& prefix,
    PictureData& data);

}  // namespace dunlin::sim
