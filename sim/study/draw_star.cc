// SPDX-License-Identifier: MIT
#include <algorithm>
#include <ranges>
#include <sstream>

#include "sim/report/gnuplot.h"
#include "sim/study/scales.h"

namespace dunlin::sim {
namespace {

constexpr std::size_t kColumns = 3;

/// The values of an axis from the least to the greatest, or as they are listed if they are words.
std::vector<std::string> in_order(const Axis& axis) {
  auto values = axis.values;
  const auto is_number = [](const auto& value) { return number_of(value).has_value(); };
  if (std::ranges::all_of(values, is_number)) {
    std::ranges::stable_sort(values, {}, [](const auto& value) { return *number_of(value); });
  }
  return values;
}

/// The rows that belong to one axis of a star.
class Panel {
 public:
  Panel(const StudyPlan& plan, const Summary& summary, std::size_t axis, std::size_t measure)
      : plan_(plan),
        summary_(summary),
        axis_(axis),
        measure_(measure),
        floor_(floor_of_orders(summary, measure).value_or(0)),
        values_(in_order(plan.axes[axis])) {}

  /// The panel's data, a block for each value of the first axis. Appends the commands that draw
  /// them to `plot`.
  std::string data(std::string& plot) const {
    std::ostringstream data;
    const auto& lines = plan_.axes.front().values;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::string block = "$axis" + std::to_string(axis_) + "_" + std::to_string(line);
      data << block << " << END\n";
      for (std::size_t place = 0; place < values_.size(); ++place) {
        for (const SummaryRow& row : summary_.rows) {
          const Estimate& estimate = row.estimates[measure_];
          if (estimate.count == 0 || !is_here(row.settings, lines[line], values_[place])) continue;
          data << place << ' ' << std::max(floor_, estimate.mean) << ' ' << estimate.half_width
               << '\n';
        }
      }
      data << "END\n";
      plot += (line == 0 ? "" : ", ") + block + " using 1:2:3 with yerrorlines lw 2 pt 7 notitle";
    }
    return data.str();
  }

  /// The panel's title and ticks. A grey line marks the value that the axis has while others are
  /// moved.
  std::string frame() const {
    const auto& key = plan_.axes[axis_].key;
    const auto centre =
        std::ranges::find(values_, plan_.axes[axis_].values.front()) - values_.begin();
    std::ostringstream frame;
    frame << "set title " << gnuplot_quoted(key)
          << " noenhanced\nset xrange [-0.3:" << static_cast<double>(values_.size()) - 0.7
          << "]\nset xtics (";
    for (std::size_t i = 0; i < values_.size(); ++i) {
      frame << (i > 0 ? ", " : "") << gnuplot_quoted(values_[i]) << ' ' << i;
    }
    frame << ")\nunset arrow\nset arrow from " << centre << ", graph 0 to " << centre
          << ", graph 1 nohead dt 2 lc rgb '#999999'\n";
    return frame.str();
  }

 private:
  /// True if only this axis and the first are off their first values.
  bool is_here(const Settings& settings, const std::string& line, const std::string& value) const {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const auto& wanted = i == 0 ? line : i == axis_ ? value : plan_.axes[i].values.front();
      if (value_of(settings[i]) != wanted) return false;
    }
    return true;
  }

  const StudyPlan& plan_;
  const Summary& summary_;
  std::size_t axis_;
  std::size_t measure_;
  double floor_;
  std::vector<std::string> values_;
};

/// The legend, in the place of a panel: the line of each value of the first axis.
std::string legend(const StudyPlan& plan) {
  std::string plot =
      "unset title\nunset border\nunset tics\nunset arrow\nunset ylabel\nset xrange [0:1]\n"
      "set yrange [0:1]\nunset logscale\nset key center center\nplot ";
  const Axis& axis = plan.axes.front();
  for (const std::string& value : axis.values) {
    plot += (&value == &axis.values.front() ? "" : ", ") +
        std::string("NaN with linespoints lw 2 pt 7 title ") +
        gnuplot_quoted(axis.key + "=" + value) + " noenhanced";
  }
  return plot + ", NaN with lines dt 2 lc rgb '#999999' title 'what it is elsewhere'";
}

}  // namespace

Result<void> draw_star(
    const Study& study, const Summary& summary, std::size_t measure, const std::string& base) {
  const StudyPlan& plan = study.plan;
  const Figure figure = figures()[measure];
  const std::string meaning(figure.meaning.empty() ? figure.name : figure.meaning);
  double highest = 0;
  for (const SummaryRow& row : summary.rows) {
    const Estimate& estimate = row.estimates[measure];
    if (estimate.count > 0) highest = std::max(highest, estimate.mean + estimate.half_width);
  }
  const std::size_t panels = plan.axes.size();  // One less, and the legend.
  const std::size_t rows = (panels + kColumns - 1) / kColumns;
  std::ostringstream data, plot;
  data << "set grid\nset key off\n";
  plot << "set multiplot layout " << rows << ',' << std::min(panels, kColumns) << " title "
       << gnuplot_quoted(study.title) << " noenhanced\nset border\nset tics\nset key off\n";
  // All panels have the same scale, so that they can be compared.
  plot << range_of_orders(summary, measure, std::to_string(highest > 0 ? highest * 1.05 : 1));
  for (std::size_t axis = 1; axis < plan.axes.size(); ++axis) {
    const Panel panel(plan, summary, axis, measure);
    std::string lines;
    data << panel.data(lines);
    const bool left = (axis - 1) % kColumns == 0;
    plot << panel.frame() << "set ylabel " << gnuplot_quoted(left ? meaning : "")
         << " noenhanced\nplot " << lines << '\n';
  }
  plot << legend(plan) << "\nunset multiplot\n";
  return draw(data.str(), plot.str(), base, 1.4);
}

}  // namespace dunlin::sim
