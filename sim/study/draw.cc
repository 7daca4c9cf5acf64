// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <sstream>

#include "overlay/param_entries.h"
#include "sim/measure/gnuplot.h"
#include "sim/study/references.h"
#include "sim/study/scales.h"
#include "sim/study/summary.h"

namespace dunlin::sim {
namespace {

/// The range of an axis whose values a linear scale would crowd at its left end.
std::string log_range(const std::vector<std::string>& values) {
  constexpr double kWide = 30;
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const auto& value : values) {
    const double number = number_of(value).value_or(0);
    least = std::min(least, number);
    most = std::max(most, number);
  }
  if (least <= 0 || most < kWide * least) return "";
  std::ostringstream range;
  range << "set logscale x\nset xrange [" << least / 1.3 << ":" << most * 1.3 << "]\n";
  return range.str();
}

}  // namespace

Result<void> draw_summary(
    const Study& study, const Summary& summary, const std::string& what, const std::string& base) {
  const auto& plan = study.plan;
  if (plan.axes.empty()) return {};
  const auto all = figures();
  const auto figure = std::ranges::find(all, what, &Figure::name);
  const auto measure = static_cast<std::size_t>(figure - all.begin());
  // What is known from elsewhere stands over the first axis.
  const bool referred = std::ranges::count(plan.references, what, &Reference::measure) > 0;
  if (plan.design == Design::star && plan.axes.size() > 1 && !referred) {
    return draw_star(study, summary, measure, base);
  }
  const std::string meaning(figure->meaning.empty() ? figure->name : figure->meaning);
  const auto& values = plan.axes.front().values;
  const bool numbers =
      std::ranges::all_of(values, [](const auto& value) { return number_of(value).has_value(); });
  const bool durations = numbers && !overlay::parse_number(values.front());

  const double floor = floor_of_orders(summary, measure).value_or(0);
  std::vector<std::string> names;
  std::vector<std::string> points;
  std::string ticks;
  for (const SummaryRow& row : summary.rows) {
    const auto name = line_name(plan, row.settings);
    const auto found = std::ranges::find(names, name);
    const auto line = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(name);
      points.emplace_back();
    }
    const std::string value = value_of(row.settings.front());
    const auto place = std::ranges::find(values, value) - values.begin();
    if (row.estimates[measure].count == 0) continue;
    std::ostringstream point;
    point << (numbers ? *number_of(value) : static_cast<double>(place)) << ' '
          << std::max(floor, row.estimates[measure].mean) << ' '
          << row.estimates[measure].half_width << '\n';
    points[line] += point.str();
  }

  // Ticks where there are values, unless they are many.
  constexpr std::size_t kTicksMax = 10;
  for (std::size_t i = 0; i < values.size() && (!numbers || values.size() <= kTicksMax); ++i) {
    std::ostringstream tick;
    tick << (i > 0 ? ", " : "") << gnuplot_quoted(values[i]) << ' '
         << (numbers ? *number_of(values[i]) : static_cast<double>(i));
    ticks += tick.str();
  }

  // Between words there is nothing that a line could show; points of one word stand side by side.
  const std::string style = numbers ? "yerrorlines" : "yerrorbars pt 7 ps 1.4";
  const double apart = numbers ? 0 : std::min(0.12, 0.6 / static_cast<double>(names.size()));
  std::ostringstream script;
  std::string plot = "plot ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string block = "$line" + std::to_string(i);
    script << block << " << END\n" << points[i] << "END\n";
    // Lines that coincide lie on each other: the lowest is the widest.
    const std::size_t above = names.size() - 1 - i;
    const std::string width = std::to_string(numbers && names.size() <= 4 ? 2 + 2 * above : 2);
    const double aside =
        apart * (static_cast<double>(i) - static_cast<double>(names.size() - 1) / 2);
    plot += (i > 0 ? ", " : "") + block + " using ($1 + " + std::to_string(aside) + "):2:3 with " +
        style + " lw " + width + " title " + gnuplot_quoted(names[i].empty() ? meaning : names[i]) +
        " noenhanced";
  }
  plot += add_references(plan, what, script);
  script << "set title " << gnuplot_quoted(study.title) << " noenhanced\nset xlabel "
         << gnuplot_quoted(plan.axes.front().key + (durations ? ", s" : ""))
         << " noenhanced offset 0,0.4\nset ylabel " << gnuplot_quoted(meaning)
         << " noenhanced\nset grid\nset key outside below maxcols 2 height 1\n"
         << "set offsets graph 0.05, graph 0.05, graph 0.05, 0\n";
  if (numbers) script << log_range(values);
  // Over orders of magnitude, what is small would lie on the axis.
  script << range_of_orders(summary, measure, "*");
  if (!ticks.empty()) script << "set xtics (" << ticks << ")\n";
  return draw(script.str(), plot, base);
}

}  // namespace dunlin::sim
