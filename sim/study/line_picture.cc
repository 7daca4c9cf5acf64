// SPDX-License-Identifier: MIT
#include "sim/study/line_picture.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "overlay/param_entries.h"
#include "sim/report/gnuplot.h"
#include "sim/study/references.h"
#include "sim/study/scales.h"

// Rows of a summary become lines by what their settings say beyond the first axis. Numbers stand
// where they are on that axis, and a line joins them. Words stand one by one; nothing lies between
// two words, so points that belong to one word stand side by side and no line joins them.
namespace dunlin::sim {
namespace {

/// The axis that a picture goes along.
class HorizontalAxis {
 public:
  explicit HorizontalAxis(const Axis& axis) : axis_(axis) {
    numbers_ = std::ranges::all_of(
        axis.values, [](const auto& value) { return number_of(value).has_value(); });
  }

  bool numbers() const { return numbers_; }
  /// Where a value stands.
  double place_of(const std::string& value) const {
    if (numbers_) return *number_of(value);
    return static_cast<double>(std::ranges::find(axis_.values, value) - axis_.values.begin());
  }
  std::string label() const {
    const bool durations = numbers_ && !overlay::parse_number(axis_.values.front());
    return axis_.key + (durations ? ", s" : "");
  }
  /// A tick at each value; empty if there are so many numbers that gnuplot chooses better.
  std::string ticks() const {
    constexpr std::size_t kTicksMax = 10;
    if (numbers_ && axis_.values.size() > kTicksMax) return "";
    std::ostringstream ticks;
    for (std::size_t i = 0; i < axis_.values.size(); ++i) {
      ticks << (i > 0 ? ", " : "") << gnuplot_quoted(axis_.values[i]) << ' '
            << place_of(axis_.values[i]);
    }
    return ticks.str();
  }
  /// The range of numbers that a linear scale would crowd at its left end.
  std::string log_range() const {
    constexpr double kWide = 30;
    double min = std::numeric_limits<double>::max(), max = 0;
    for (const auto& value : axis_.values) {
      const double number = number_of(value).value_or(0);
      min = std::min(min, number);
      max = std::max(max, number);
    }
    if (min <= 0 || max < kWide * min) return "";
    std::ostringstream range;
    range << "set logscale x\nset xrange [" << min / 1.3 << ":" << max * 1.3 << "]\n";
    return range.str();
  }

 private:
  const Axis& axis_;
  bool numbers_ = false;
};

struct Line {
  std::string name;
  std::string points;  ///< A row each: place, mean, half of the interval.
};

std::vector<Line> lines_of(const StudyPlan& plan,
    const Summary& summary,
    std::size_t measure,
    const HorizontalAxis& axis) {
  const double floor = floor_of_orders(summary, measure).value_or(0);
  std::vector<Line> lines;
  for (const SummaryRow& row : summary.rows) {
    const auto name = line_name(plan, row.settings);
    auto line = std::ranges::find(lines, name, &Line::name);
    if (line == lines.end()) line = lines.insert(line, {name, {}});
    const Estimate& estimate = row.estimates[measure];
    if (estimate.count == 0) continue;
    std::ostringstream point;
    point << axis.place_of(value_of(row.settings.front())) << ' ' << std::max(floor, estimate.mean)
          << ' ' << estimate.half_width << '\n';
    line->points += point.str();
  }
  return lines;
}

/// Writes the data of all lines to `script`. Returns the command that draws them; `meaning` is the
/// title of a line without a name.
std::string plot_of(const std::vector<Line>& lines,
    const HorizontalAxis& axis,
    const std::string& meaning,
    std::ostream& script) {
  const auto count = static_cast<double>(lines.size());
  const std::string style = axis.numbers() ? "yerrorlines" : "yerrorbars pt 7 ps 1.4";
  const double apart = axis.numbers() ? 0 : std::min(0.12, 0.6 / count);
  std::string plot = "plot ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string block = "$line" + std::to_string(i);
    script << block << " << END\n" << lines[i].points << "END\n";
    // Lines that coincide lie on each other, so the lowest is the widest.
    const std::size_t above = lines.size() - 1 - i;
    const std::string width =
        std::to_string(axis.numbers() && lines.size() <= 4 ? 2 + 2 * above : 2);
    const double aside = apart * (static_cast<double>(i) - (count - 1) / 2);
    plot += (i > 0 ? ", " : "") + block + " using ($1 + " + std::to_string(aside) + "):2:3 with " +
        style + " lw " + width + " title " +
        gnuplot_quoted(lines[i].name.empty() ? meaning : lines[i].name) + " noenhanced";
  }
  return plot;
}

/// Title, labels and scales.
std::string frame_of(const Study& study,
    const Summary& summary,
    std::size_t measure,
    const HorizontalAxis& axis,
    const std::string& meaning) {
  std::ostringstream frame;
  frame << "set title " << gnuplot_quoted(study.title) << " noenhanced\nset xlabel "
        << gnuplot_quoted(axis.label()) << " noenhanced offset 0,0.4\nset ylabel "
        << gnuplot_quoted(meaning)
        << " noenhanced\nset grid\nset key outside below maxcols 2 height 1\n"
        << "set offsets graph 0.05, graph 0.05, graph 0.05, 0\n";
  if (axis.numbers()) frame << axis.log_range();
  // Over orders of magnitude, small values would lie on the axis.
  frame << range_of_orders(summary, measure, "*");
  if (const auto ticks = axis.ticks(); !ticks.empty()) frame << "set xtics (" << ticks << ")\n";
  return frame.str();
}

}  // namespace

PictureText line_picture(const Study& study, const Summary& summary, std::size_t measure) {
  const Figure figure = figures()[measure];
  const std::string meaning(figure.meaning.empty() ? figure.name : figure.meaning);
  const HorizontalAxis axis(study.plan.axes.front());
  const auto lines = lines_of(study.plan, summary, measure, axis);
  std::ostringstream script;
  std::string plot = plot_of(lines, axis, meaning, script);
  plot += add_references(study.plan, std::string(figure.name), script);
  script << frame_of(study, summary, measure, axis, meaning);
  return {script.str(), std::move(plot)};
}

}  // namespace dunlin::sim
