// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>

#include "config/text.h"
#include "overlay/param_entries.h"
#include "sim/report/gnuplot.h"
#include "sim/study/key.h"
#include "sim/study/lines.h"
#include "sim/study/references.h"
#include "sim/study/timeline.h"

namespace dunlin::sim {
namespace {

std::string rows_of(const std::vector<TimelinePoint>& points) {
  std::ostringstream rows;
  for (const TimelinePoint& point : points) {
    rows << point.at_s << ' ' << point.value.mean << ' ' << point.value.half_width << '\n';
  }
  return rows.str();
}

/// The number of runs that points are means of.
std::string note_on(const Timeline& timeline) {
  std::size_t runs_max = 0;
  for (const auto& line : timeline.lines) {
    for (const TimelinePoint& point : line) runs_max = std::max(runs_max, point.value.count);
  }
  return runs_max > 1 ? "means of " + std::to_string(runs_max) + " runs" : "single runs";
}

}  // namespace

Result<void> draw_timeline(const Study& study, const Timeline& timeline, const std::string& base) {
  Picture picture;
  const LineNames names(study.plan, {}, 0);
  std::size_t entries = timeline.lines.size();
  std::size_t longest = 0;
  picture.plot = "plot ";
  for (std::size_t i = 0; i < timeline.lines.size(); ++i) {
    const std::string name = names.of(timeline.settings[i]);
    longest = std::max(longest, config::columns_of(name));
    const std::string block = picture.data.add(
        "line" + std::to_string(i), "s, mean, half of the interval", rows_of(timeline.lines[i]));
    picture.plot += (i > 0 ? ", " : "") + block + " using 1:2 with lines lw " +
        (i < kLooks ? "2" : "1") + " title " + gnuplot_quoted(name) + " noenhanced";
  }
  if (!timeline.desired.empty()) {
    ++entries;
    const std::string block = picture.data.add("desired", "s, share", rows_of(timeline.desired));
    picture.plot += ", " + block + " using 1:2 with steps dt 2 lw 2 lc rgb 'black' title 'desired'";
  }
  picture.plot += add_references(study.plan, timeline.measure, picture.data, entries);
  for (const Reference& each : study.plan.references) {
    if (each.measure == timeline.measure) {
      longest = std::max(longest, config::columns_of(each.label));
    }
  }
  const bool shifted = study.plan.since > overlay::Duration{0};
  const Key key = key_of(entries, longest, gnuplot_quoted(names.title()));
  picture.key_rows = key.rows;
  picture.frame = title_command(study.title, note_on(timeline)) + "set xlabel " +
      gnuplot_quoted(
          shifted ? "seconds after " + overlay::to_string(study.plan.since) : "seconds") +
      " offset 0,0.4\n" + ylabel_command(meaning_of_timeline(timeline.measure)) + "set grid\n" +
      key.command + "set yrange [0:*]\n";
  return draw(picture, base);
}

}  // namespace dunlin::sim
