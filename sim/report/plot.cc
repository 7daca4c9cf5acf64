// SPDX-License-Identifier: MIT
#include "sim/report/plot.h"

#include <sstream>

#include "sim/measure/units.h"
#include "sim/report/gnuplot.h"
#include "sim/report/report.h"

namespace dunlin::sim {
Result<void> draw_delays(const Simulation& run, const std::string& base) {
  // Nothing was measured: pictures of an earlier run of that name would be taken for this one's.
  if (run.recorder().all().queueing_delay.count() == 0) {
    remove_pictures(base);
    return {};
  }
  std::ostringstream rows;
  for (const auto& point : run.recorder().all().queueing_delay.distribution()) {
    rows << in_ms(point.value) << ' ' << point.share << '\n';
  }
  Picture picture;
  const std::string tasks = grouped(run.recorder().all().queueing_delay.count()) + " tasks";
  picture.frame = title_command(run.scenario().title, tasks) +
      "set xlabel 'queueing delay of a task, ms'\n" + ylabel_command("share of tasks") +
      "set logscale x\nset yrange [0:1]\nset grid\nset key off\n";
  picture.plot = "plot " + picture.data.add("delays", "queueing delay ms, share", rows.str()) +
      " using 1:2 with steps lw 2";
  return draw(picture, base);
}

}  // namespace dunlin::sim
