// SPDX-License-Identifier: MIT
#include "sim/study/line_picture.h"

#include <algorithm>
#include <sstream>

#include "config/text.h"
#include "sim/study/key.h"
#include "sim/study/lines.h"
#include "sim/study/references.h"
#include "sim/study/scales.h"

namespace dunlin::sim {

Picture line_picture(const Study& study, const Summary& summary, const Shown& shown) {
  const StudyPlan& plan = study.plan;
  const std::string figure(figures()[shown.measure].name);
  const HorizontalAxis axis(plan.axes.front());
  const LineNames names(plan);
  const auto lines = lines_of(summary, shown, axis, names);
  Picture picture;
  picture.plot = "plot " + plot_lines(lines, axis, "line", picture.data);
  std::size_t entries = lines.size();
  std::size_t longest = 0;
  for (const Line& line : lines) longest = std::max(longest, config::columns_of(line.name));
  std::vector<double> seen;
  if (shown.level) {
    std::ostringstream level;
    level << (lines.empty() ? "" : ", ") << *shown.level << " with lines dt 2 lw 1 lc rgb 'black' "
          << "notitle";
    picture.plot += level.str();
    seen.push_back(*shown.level);
  } else {
    seen = reference_values(plan, figure);
    picture.plot += add_references(plan, figure, picture.data, entries);
    for (const Reference& each : plan.references) {
      if (each.measure == figure) longest = std::max(longest, config::columns_of(each.label));
    }
  }
  const VerticalRange range = vertical_range(summary, shown.measure, seen);
  const Key key = key_of(entries, longest, gnuplot_quoted(names.title()));
  picture.key_rows = key.rows;
  picture.frame = title_command(study.title, shown.note + note_on_cuts(range)) + axis.commands() +
      ylabel_command(shown.meaning) + "set grid\n" + key.command + range.commands;
  return picture;
}

}  // namespace dunlin::sim
