// SPDX-License-Identifier: MIT
#include "sim/study/survival_picture.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "config/text.h"
#include "sim/study/key.h"
#include "sim/study/lines.h"

// Of a moment that some runs did not see there is no mean: it is known only to lie beyond their
// ends. What is known is at each time the share of runs in which it has not come yet. A run that
// ended says as much up to its end, and then leaves those that are counted. Source: Kaplan and
// Meier 1958.
namespace dunlin::sim {

std::vector<SurvivalStep> survival_of(std::vector<Reading> readings) {
  std::erase_if(
      readings, [](const Reading& each) { return !each.is_known() && !each.is_censored(); });
  const auto time_of = [](const Reading& each) {
    return each.is_known() ? each.value() : each.after();
  };
  // What comes at the moment at which another run ends came while that was still watched.
  std::ranges::stable_sort(readings, [&](const Reading& a, const Reading& b) {
    if (time_of(a) != time_of(b)) return time_of(a) < time_of(b);
    return a.is_known() && b.is_censored();
  });
  std::vector<SurvivalStep> steps = {{.at = 0, .left = 1}};
  auto watched = static_cast<double>(readings.size());
  for (const Reading& each : readings) {
    // It came in one of those that are still watched. A run that ended without it changes
    // nothing but their number.
    const double left =
        each.is_known() ? steps.back().left * (watched - 1) / watched : steps.back().left;
    steps.push_back({.at = time_of(each), .left = left});
    --watched;
  }
  return steps;
}

Picture survival_picture(const Study& study, const Summary& summary, const Shown& shown) {
  const LineNames names(study.plan, {}, 0);
  Picture picture;
  picture.plot = "plot ";
  std::size_t longest = 0, entries = 0;
  for (std::size_t i = 0; i < summary.rows.size(); ++i) {
    std::vector<Reading> readings;
    for (const Replication& each : summary.replications) {
      if (each.row == i) readings.push_back(each.figures[shown.measure]);
    }
    std::ostringstream rows;
    for (const SurvivalStep& step : survival_of(std::move(readings))) {
      rows << step.at << ' ' << step.left << '\n';
    }
    const std::string name = names.of(summary.rows[i].settings);
    longest = std::max(longest, config::columns_of(name));
    const std::string block =
        picture.data.add("line" + std::to_string(i), "time, share of runs left", rows.str());
    picture.plot += (entries++ > 0 ? ", " : "") + block + " using 1:2 with steps lt " +
        std::to_string(i + 1) + " lw 2 title " + gnuplot_quoted(name) + " noenhanced";
  }
  const Key key = key_of(entries, longest, gnuplot_quoted(names.title()));
  picture.key_rows = key.rows;
  picture.frame =
      title_command(study.title, "where a line ends above 0, the runs ended before it came") +
      "set xlabel " + gnuplot_quoted(shown.meaning) + " noenhanced\n" +
      ylabel_command("share of runs in which it has not come") +
      "set xrange [0:*]\nset yrange [0:1]\nset grid\n" + key.command;
  return picture;
}

}  // namespace dunlin::sim
