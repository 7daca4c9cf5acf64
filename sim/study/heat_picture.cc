// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "sim/study/estimate_text.h"
#include "sim/study/lines.h"
#include "sim/study/panels.h"
#include "sim/study/scales.h"

namespace dunlin::sim {
namespace {

/// The two axes that vary.
std::pair<std::size_t, std::size_t> axes_of(const StudyPlan& plan) {
  std::vector<std::size_t> vary;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    if (plan.axes[i].values.size() > 1) vary.push_back(i);
  }
  return {vary.at(0), vary.at(1)};
}

/// Fields lie at whole numbers and the values are written there: values may be words, and numbers
/// need not be evenly spaced.
std::string ticks_of(const std::vector<std::string>& values) {
  std::string ticks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ticks += (i > 0 ? ", " : "") + gnuplot_quoted(values[i]) + " " + std::to_string(i);
  }
  return ticks;
}

/// The fields of the map.
class Fields {
 public:
  Fields(const StudyPlan& plan, const Summary& summary, const Shown& shown)
      : axes_(axes_of(plan)),
        columns_(in_order(plan.axes[axes_.first])),
        rows_(in_order(plan.axes[axes_.second])),
        summary_(summary),
        measure_(shown.measure),
        floor_(floor_of_orders(summary, shown.measure)) {
    for (const SummaryRow& row : summary.rows) {
      const Estimate& estimate = row.estimates[measure_];
      if (estimate.count == 0) continue;
      lowest_ = std::min(lowest_, scaled(estimate.mean));
      highest_ = std::max(highest_, scaled(estimate.mean));
    }
  }

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::string>& rows() const { return rows_; }
  std::pair<std::size_t, std::size_t> axes() const { return axes_; }

  /// A line for each field: column, row, value, whether it is dark, and its text.
  std::string data() const {
    std::ostringstream data;
    for (std::size_t y = 0; y < rows_.size(); ++y) {
      for (std::size_t x = 0; x < columns_.size(); ++x) {
        const Estimate* const estimate = find(columns_[x], rows_[y]);
        data << x << ' ' << y << ' ';
        // NaN leaves the field blank, where 0 would be a value.
        if (estimate == nullptr) {
          data << "NaN 0 \"\"\n";
        } else {
          // White text on dark fields, black on others, by the place on the palette below.
          const bool dark = scaled(estimate->mean) > lowest_ + 0.55 * (highest_ - lowest_);
          data << std::max(floor_.value_or(estimate->mean), estimate->mean) << ' ' << dark << " \""
               << text_of(*estimate) << "\"\n";
        }
      }
    }
    return data.str();
  }

 private:
  /// As the palette sees it. A scale of orders of magnitude has no place for 0, so that gets the
  /// floor.
  double scaled(double value) const { return floor_ ? std::log(std::max(*floor_, value)) : value; }
  const Estimate* find(const std::string& column, const std::string& row) const {
    for (const SummaryRow& each : summary_.rows) {
      if (each.estimates[measure_].count > 0 && value_of(each.settings[axes_.first]) == column &&
          value_of(each.settings[axes_.second]) == row) {
        return &each.estimates[measure_];
      }
    }
    return nullptr;
  }

  std::pair<std::size_t, std::size_t> axes_;
  std::vector<std::string> columns_, rows_;
  const Summary& summary_;
  std::size_t measure_;
  std::optional<double> floor_;
  double lowest_ = std::numeric_limits<double>::max();
  double highest_ = std::numeric_limits<double>::lowest();
};

}  // namespace

Picture heat_picture(const Study& study, const Summary& summary, const Shown& shown) {
  const Fields fields(study.plan, summary, shown);
  const auto [x, y] = fields.axes();
  Picture picture;
  // Intervals are numbers here, not bars.
  std::string note = shown.note;
  if (const auto bars = note.find("bars: "); bars != std::string::npos) note.replace(bars, 6, "± ");
  const bool crowded = fields.columns().size() > 6;
  picture.size = crowded ? 1.4 : 1;
  const std::string block =
      picture.data.add("fields", "column, row, value, dark, text", fields.data());
  std::ostringstream frame;
  frame << title_command(study.title, note) << "set xlabel "
        << gnuplot_quoted(study.plan.axes[x].key) << " noenhanced\nset ylabel "
        << gnuplot_quoted(study.plan.axes[y].key) << " noenhanced\nset cblabel "
        << gnuplot_wrapped(shown.meaning, 46) << " noenhanced\nset key off\nunset grid\n"
        << "set xrange [-0.5:" << static_cast<double>(fields.columns().size()) - 0.5
        << "]\nset yrange [-0.5:" << static_cast<double>(fields.rows().size()) - 0.5
        << "]\nset xtics (" << ticks_of(fields.columns()) << ")\nset ytics ("
        << ticks_of(fields.rows()) << ")\nset tics scale 0\n"
        << "set palette defined (0 '#f7fbff', 0.4 '#9ecae1', 0.7 '#4292c6', 1 '#08306b')\n";
  if (floor_of_orders(summary, shown.measure)) frame << "set logscale cb\n";
  picture.frame = frame.str();
  picture.plot = "plot " + block + " using 1:2:3 with image, " + block +
      " using 1:2:($4 == 0 ? stringcolumn(5) : '') with labels tc rgb 'black', " + block +
      " using 1:2:($4 == 1 ? stringcolumn(5) : '') with labels tc rgb 'white'";
  return picture;
}

}  // namespace dunlin::sim
