// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>

#include "sim/study/lines.h"
#include "sim/study/panels.h"
#include "sim/study/scales.h"

// Many lines in one frame cannot be told apart, however they look. Small panels with one scale can
// be compared as well as lines in one frame, and each holds few.
namespace dunlin::sim {
namespace {

std::size_t last_that_varies(const StudyPlan& plan) {
  std::size_t last = plan.axes.size() - 1;
  // Not the first: it is the horizontal axis of all panels.
  while (last > 1 && plan.axes[last].values.size() < 2) --last;
  return last;
}

/// The key of all panels, in the place of one.
std::string panels_key(
    const std::vector<Line>& lines, const std::string& title, const Shown& shown) {
  std::ostringstream plot;
  plot << "unset title\nunset border\nunset tics\nunset xlabel\nunset ylabel\nunset logscale\n"
       << "set xrange [0:1]\nset yrange [0:1]\nset key center center vertical maxcols 1"
       << (title.empty() ? "" : " title " + gnuplot_quoted(title) + " noenhanced") << "\nplot NaN "
       << (shown.level ? "with lines dt 2 lc rgb 'black' title " +
                      gnuplot_quoted(shown.level_name) + " noenhanced"
                       : std::string("notitle"));
  for (const Line& line : lines) {
    if (line.name.empty()) continue;
    plot << ", NaN with linespoints lw 2 lt " << line.look + 1 << " title "
         << gnuplot_quoted(line.name) << " noenhanced";
  }
  return plot.str() + "\n";
}

}  // namespace

std::size_t panel_columns(std::size_t panels) {
  std::size_t columns = 1;
  while (columns * columns < panels) ++columns;
  return columns;
}

std::size_t label_columns(std::size_t rows) {
  return 56 / std::max<std::size_t>(rows, 1);
}

Picture facet_picture(const Study& study, const Summary& summary, const Shown& shown) {
  const StudyPlan& plan = study.plan;
  const std::size_t facet = last_that_varies(plan);
  const HorizontalAxis axis(plan.axes.front());
  const LineNames names(plan, facet);
  const auto values = in_order(plan.axes[facet]);
  const std::size_t columns = panel_columns(values.size() + 1);
  const std::size_t rows = (values.size() + columns) / columns;  // The key has a place, too.
  Picture picture{.size = 1.4};
  // The key has a place among the panels, and takes none below.
  picture.key_rows = 0;
  const std::vector<double> seen = shown.level ? std::vector{*shown.level} : std::vector<double>{};
  const VerticalRange range = vertical_range(summary, shown.measure, seen);
  picture.frame = "set grid\nset key off\n";
  std::ostringstream plot;
  plot << "set multiplot layout " << rows << ',' << columns << " title "
       << gnuplot_wrapped(study.title, 110) << ".\"\\n\"."
       << gnuplot_wrapped(shown.note + note_on_cuts(range), 110) << " noenhanced\n"
       << "set border\nset tics\nset key off\n"
       << axis.commands() << range.commands;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < values.size(); ++i) {
    lines = lines_of(summary, shown, axis, names,
        [&](const SummaryRow& row) { return value_of(row.settings[facet]) == values[i]; });
    plot << title_command(plan.axes[facet].key + " = " + values[i], "")
         << (i % columns == 0 ? ylabel_command(shown.meaning, label_columns(rows))
                              : "unset ylabel\n")
         << "plot " << plot_lines(lines, axis, "panel" + std::to_string(i) + "_", picture.data);
    if (shown.level) plot << ", " << *shown.level << " with lines dt 2 lc rgb 'black' notitle";
    plot << '\n';
  }
  plot << panels_key(lines, names.title(), shown) << "unset multiplot\n";
  picture.plot = plot.str();
  return picture;
}

}  // namespace dunlin::sim
