// SPDX-License-Identifier: MIT
#include "sim/report/plot.h"

#include <sstream>

#include "sim/measure/units.h"
#include "sim/report/gnuplot.h"

namespace dunlin::sim {
Result<void> draw_delays(const Simulation& run, const std::string& base) {
  if (run.recorder().queueing_delay().count() == 0) {
    remove_pictures(base);
    return {};
  }
  std::ostringstream script;
  script << "$delays << END\n";
  for (const auto& point : run.recorder().queueing_delay().distribution()) {
    script << in_ms(point.value) << ' ' << point.share << '\n';
  }
  script << "END\n"
         << "set title " << gnuplot_quoted(run.scenario().title) << " noenhanced\n"
         << "set xlabel 'queueing delay of a task, ms'\n"
         << "set ylabel 'share of tasks'\n"
         << "set logscale x\nset yrange [0:1]\nset grid\nunset key\n";
  return draw(script.str(), "plot $delays using 1:2 with steps lw 2 lc rgb '#1f6f8b'", base);
}

}  // namespace dunlin::sim
