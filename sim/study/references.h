// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/study/plan.h"

namespace dunlin::sim {

/// Writes the plan's references to a picture of `measure` as data blocks, one for each label, and
/// returns what draws them, to be appended to a plot command.
inline std::string add_references(
    const StudyPlan& plan, const std::string& measure, std::ostream& script) {
  std::vector<std::string> labels;
  for (const Reference& each : plan.references) {
    if (each.measure != measure || !each.x) continue;
    if (std::ranges::find(labels, each.label) == labels.end()) labels.push_back(each.label);
  }
  std::string plot;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string block = "$reference" + std::to_string(i);
    script << block << " << END\n";
    for (const Reference& each : plan.references) {
      if (each.measure == measure && each.x && each.label == labels[i]) {
        script << *each.x << ' ' << each.y << '\n';
      }
    }
    script << "END\n";
    plot += ", " + block + " using 1:2 with points ps 1.6 lc rgb 'black' pt " +
        std::to_string(4 + 2 * i) + " title " + gnuplot_quoted(labels[i]) + " noenhanced";
  }
  for (const Reference& each : plan.references) {
    if (each.measure != measure || each.x) continue;
    std::ostringstream level;
    level << ", " << each.y << " with lines dt 2 lw 2 lc rgb 'black' title "
          << gnuplot_quoted(each.label) << " noenhanced";
    plot += level.str();
  }
  return plot;
}

}  // namespace dunlin::sim
