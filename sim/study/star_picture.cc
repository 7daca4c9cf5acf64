// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <sstream>

#include "sim/study/panels.h"
#include "sim/study/scales.h"

// A star moves one axis at a time, so each axis gets a panel, and the point that all share is the
// grey line in each. Panels have one scale: a parameter of little effect must look so.
namespace dunlin::sim {
namespace {

/// The rows that belong to one axis of a star.
class Panel {
 public:
  Panel(const StudyPlan& plan, const Summary& summary, std::size_t axis, std::size_t measure)
      : plan_(plan),
        summary_(summary),
        axis_(axis),
        measure_(measure),
        floor_(floor_of_orders(summary, measure)),
        values_(in_order(plan.axes[axis])) {}

  /// Adds a block for each value of the first axis. Returns the commands that draw them.
  std::string draw(PictureData& data) const {
    std::ostringstream plot;
    const auto& lines = plan_.axes.front().values;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      std::ostringstream rows;
      bool bars = false;
      for (std::size_t place = 0; place < values_.size(); ++place) {
        for (const SummaryRow& row : summary_.rows) {
          const Estimate& estimate = row.estimates[measure_];
          if (estimate.count == 0 || !is_here(row.settings, lines[line], values_[place])) continue;
          rows << place << ' ' << (floor_ ? std::max(*floor_, estimate.mean) : estimate.mean) << ' '
               << estimate.half_width << '\n';
          bars = bars || estimate.half_width > 0;
        }
      }
      const std::string block =
          data.add("axis" + std::to_string(axis_) + "_" + std::to_string(line),
              "place, mean, half of the interval", rows.str());
      plot << (line == 0 ? "" : ", ");
      if (bars) {
        plot << block << " using 1:2:3 with yerrorbars lt " << line + 1
             << " lw 1 ps 0 dt solid notitle, ";
      }
      plot << block << " using 1:2 with linespoints lw 2 lt " << line + 1 << " notitle";
    }
    return plot.str();
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
      // All axes but these two stand at their first value.
      const auto& wanted = i == 0 ? line : i == axis_ ? value : plan_.axes[i].values.front();
      if (value_of(settings[i]) != wanted) return false;
    }
    return true;
  }

  const StudyPlan& plan_;
  const Summary& summary_;
  std::size_t axis_;
  std::size_t measure_;
  std::optional<double> floor_;
  std::vector<std::string> values_;
};

/// The legend, in the place of a panel: the line of each value of the first axis.
std::string legend(const StudyPlan& plan, const Shown& shown) {
  std::ostringstream plot;
  const Axis& axis = plan.axes.front();
  plot << "unset title\nunset border\nunset tics\nunset arrow\nunset ylabel\nset xrange [0:1]\n"
       << "set yrange [0:1]\nunset logscale\nset key center center title "
       << gnuplot_quoted(axis.key) << " noenhanced\nplot ";
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    plot << (i == 0 ? "" : ", ") << "NaN with linespoints lw 2 lt " << i + 1 << " title "
         << gnuplot_quoted(axis.values[i]) << " noenhanced";
  }
  if (shown.level) plot << ", NaN with lines dt 2 lc rgb 'black' title 'no difference'";
  plot << ", NaN with lines dt 2 lc rgb '#999999' title 'what it is elsewhere'\n";
  return plot.str();
}

}  // namespace

Picture star_picture(const Study& study, const Summary& summary, const Shown& shown) {
  constexpr std::size_t kTitleColumns = 110;
  const StudyPlan& plan = study.plan;
  const std::size_t panels = plan.axes.size();  // One less, and the legend.
  const std::size_t columns = panel_columns(panels);
  const std::size_t rows = (panels + columns - 1) / columns;
  Picture picture{.frame = "set grid\nset key off\n", .size = 1.4};
  const std::vector<double> seen = shown.level ? std::vector{*shown.level} : std::vector<double>{};
  // All panels have the same scale, so that they can be compared.
  const VerticalRange range = vertical_range(summary, shown.measure, seen);
  std::ostringstream plot;
  plot << "set multiplot layout " << rows << ',' << columns << " title "
       << gnuplot_wrapped(study.title, kTitleColumns) << ".\"\\n\"."
       << gnuplot_wrapped(shown.note + note_on_cuts(range), kTitleColumns)
       << " noenhanced\nset border\nset tics\nset key off\n"
       << range.commands;
  for (std::size_t axis = 1; axis < plan.axes.size(); ++axis) {
    const Panel panel(plan, summary, axis, shown.measure);
    const bool left = (axis - 1) % columns == 0;
    plot << panel.frame() << ylabel_command(left ? shown.meaning : "", label_columns(rows))
         << "plot " << panel.draw(picture.data);
    if (shown.level) plot << ", " << *shown.level << " with lines dt 2 lc rgb 'black' notitle";
    plot << '\n';
  }
  plot << legend(plan, shown) << "unset multiplot\n";
  picture.plot = plot.str();
  return picture;
}

}  // namespace dunlin::sim
