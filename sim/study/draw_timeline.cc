// SPDX-License-Identifier: MIT
#include <sstream>

#include "overlay/param_entries.h"
#include "sim/report/gnuplot.h"
#include "sim/study/references.h"
#include "sim/study/timeline.h"

namespace dunlin::sim {
Result<void> draw_timeline(const Study& study, const Timeline& timeline, const std::string& base) {
  std::ostringstream script;
  std::string plot = "plot ";
  for (std::size_t i = 0; i < timeline.lines.size(); ++i) {
    const std::string block = "$line" + std::to_string(i);
    script << block << " << END\n";
    for (const TimelinePoint& point : timeline.lines[i]) {
      script << point.at_s << ' ' << point.value.mean << '\n';
    }
    script << "END\n";
    plot += (i > 0 ? ", " : "") + block + " using 1:2 with lines lw 2 title " +
        gnuplot_quoted(joined(timeline.settings[i], "")) + " noenhanced";
  }
  if (!timeline.desired.empty()) {
    script << "$desired << END\n";
    for (const TimelinePoint& point : timeline.desired) {
      script << point.at_s << ' ' << point.value.mean << '\n';
    }
    script << "END\n";
    plot += ", $desired using 1:2 with steps dt 2 lw 2 lc rgb 'black' title 'desired'";
  }
  plot += add_references(study.plan, timeline.measure, script);
  const bool shifted = study.plan.since > overlay::Duration{0};
  script << "set title " << gnuplot_quoted(study.title) << " noenhanced\nset xlabel "
         << gnuplot_quoted(
                shifted ? "seconds after " + overlay::to_string(study.plan.since) : "seconds")
         << " offset 0,0.4\nset ylabel " << gnuplot_quoted(meaning_of_timeline(timeline.measure))
         << " noenhanced\nset grid\nset key outside below maxcols 2 height 1\nset yrange [0:*]\n";
  return draw(script.str(), plot, base);
}

}  // namespace dunlin::sim
