// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/study/plan.h"

namespace dunlin::sim {

/// The values of a plan's references in a picture of `measure`.
inline std::vector<double> reference_values(const StudyPlan& plan, const std::string& measure) {
  std::vector<double> values;
  for (const Reference& each : plan.references) {
    if (each.measure == measure) values.push_back(each.y);
  }
  return values;
}

/// Adds the plan's references to a picture of `measure` as data blocks, one for each label, and
/// returns what draws them, to be appended to a plot command. Counts them in `entries`.
inline std::string add_references(
    const StudyPlan& plan, const std::string& measure, PictureData& data, std::size_t& entries) {
  std::vector<std::string> labels;
  for (const Reference& each : plan.references) {
    if (each.measure != measure || !each.x) continue;
    if (std::ranges::find(labels, each.label) == labels.end()) labels.push_back(each.label);
  }
  std::string plot;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::ostringstream rows;
    for (const Reference& each : plan.references) {
      if (each.measure == measure && each.x && each.label == labels[i]) {
        rows << *each.x << ' ' << each.y << '\n';
      }
    }
    const std::string block = data.add("reference" + std::to_string(i), labels[i], rows.str());
    ++entries;
    // Open points, which have even numbers in gnuplot: the first lines of what was measured have
    // filled ones.
    plot += ", " + block + " using 1:2 with points ps 1.6 lc rgb 'black' pt " +
        std::to_string(4 + 2 * i) + " title " + gnuplot_quoted(labels[i]) + " noenhanced";
  }
  for (const Reference& each : plan.references) {
    if (each.measure != measure || each.x) continue;
    std::ostringstream level;
    ++entries;
    level << ", " << each.y << " with lines dt 2 lw 2 lc rgb 'black' title "
          << gnuplot_quoted(each.label) << " noenhanced";
    plot += level.str();
  }
  return plot;
}

}  // namespace dunlin::sim
