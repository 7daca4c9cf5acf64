// SPDX-License-Identifier: MIT
#include "sim/study/lines.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

#include "config/text.h"
#include "overlay/param_entries.h"
#include "sim/study/scales.h"

// Lines of a picture, for gnuplot: where the values of an axis lie, how it is labelled, and which
// rows make one line. Values that are numbers or durations lie where they are; words lie at equal
// distances.
namespace dunlin::sim {
namespace {

constexpr double kMargin = 0.05;    // Of the axis, on both sides.
constexpr double kLogMargin = 1.3;  // A factor.

/// "load" of "workload.load".
std::string short_key(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

std::vector<double> numbers_of(const Axis& axis) {
  std::vector<double> numbers;
  numbers.reserve(axis.values.size());
  for (const auto& value : axis.values) numbers.push_back(number_of(value).value_or(0));
  return numbers;
}

}  // namespace

HorizontalAxis::HorizontalAxis(const Axis& axis)
    : axis_(axis),
      numbers_(std::ranges::all_of(
          axis.values, [](const auto& value) { return number_of(value).has_value(); })),
      max_(static_cast<double>(axis.values.size()) - 1) {
  if (!numbers_) return;
  const auto numbers = numbers_of(axis);
  // Values such as 1, 10, 100 are meant as factors, and would lie on each other otherwise.
  logarithmic_ = spaced_by_factors(numbers);
  std::tie(min_, max_) = std::pair(std::ranges::min(numbers), std::ranges::max(numbers));
}

double HorizontalAxis::place_of(const std::string& value) const {
  if (numbers_) return *number_of(value);
  return static_cast<double>(std::ranges::find(axis_.values, value) - axis_.values.begin());
}

std::string HorizontalAxis::label() const {
  const bool durations = numbers_ && !overlay::parse_number(axis_.values.front());
  return axis_.key + (durations ? ", s" : "");
}

std::string HorizontalAxis::ticks() const {
  constexpr std::size_t kTicksMax = 10;
  // gnuplot's own ticks then: a tick for each value would be a black bar.
  if (numbers_ && axis_.values.size() > kTicksMax) return "";
  std::ostringstream ticks;
  for (std::size_t i = 0; i < axis_.values.size(); ++i) {
    ticks << (i > 0 ? ", " : "") << gnuplot_quoted(axis_.values[i]) << ' '
          << place_of(axis_.values[i]);
  }
  return ticks.str();
}

std::string HorizontalAxis::commands() const {
  std::ostringstream text;
  text << "set xlabel " << gnuplot_quoted(label()) << " noenhanced offset 0,0.4\n";
  if (logarithmic_) {
    text << "set logscale x\nset xrange [" << min_ / kLogMargin << ":" << max_ * kLogMargin
         << "]\n";
  } else {
    const double margin =
        numbers_ ? std::max(kMargin * (max_ - min_), min_ == max_ ? 1.0 : 0) : 0.5;
    text << "set xrange [" << min_ - margin << ":" << max_ + margin << "]\n";
  }
  if (const auto marks = ticks(); !marks.empty()) {
    // Long words would lie on each other.
    text << "set xtics " << (numbers_ || !crowded() ? "" : "rotate by 30 right ") << "(" << marks
         << ")\n";
  }
  return text.str();
}

bool HorizontalAxis::crowded() const {
  constexpr std::size_t kColumns = 84;  // Of text, in the width of a frame.
  constexpr std::size_t kGap = 2;
  std::size_t widest = 0;
  for (const auto& word : axis_.values) widest = std::max(widest, config::columns_of(word));
  return (widest + kGap) * axis_.values.size() > kColumns;
}

/// The place of line `i` of `count`, as gnuplot computes it: a little aside, so that bars of
/// intervals at one value do not hide each other.
std::string HorizontalAxis::column(std::size_t i, std::size_t count) const {
  constexpr double kWords = 0.12, kWordsInAll = 0.6;        // Of the way to the next word.
  constexpr double kNumbers = 0.006, kNumbersInAll = 0.04;  // Of the whole axis.
  const auto lines = static_cast<double>(count);
  const double steps = static_cast<double>(i) - (lines - 1) / 2;
  if (steps == 0) return "1";
  std::ostringstream text;
  const double apart = std::min(kNumbers, kNumbersInAll / lines);
  if (logarithmic_) {
    text << "($1 * " << std::pow(max_ / min_, steps * apart) << ")";
  } else {
    const double aside = numbers_ ? (max_ - min_) * apart : std::min(kWords, kWordsInAll / lines);
    text << "($1 + " << steps * aside << ")";
  }
  return text.str();
}

LineNames::LineNames(const StudyPlan& plan, std::optional<std::size_t> without, std::size_t first)
    : plan_(plan) {
  if (plan.design == Design::star) return;
  for (std::size_t i = first; i < plan.axes.size(); ++i) {
    if (i != without && plan.axes[i].values.size() > 1) axes_.push_back(i);
  }
  for (const std::size_t i : axes_) {
    title_ += (title_.empty() ? "" : ", ") + short_key(plan.axes[i].key);
  }
}

std::string LineNames::of(const Settings& settings) const {
  if (plan_.design == Design::star) return line_name(plan_, settings);
  std::string name;
  for (const std::size_t i : axes_) name += (name.empty() ? "" : ", ") + value_of(settings[i]);
  return name;
}

std::vector<Line> lines_of(const Summary& summary,
    const Shown& shown,
    const HorizontalAxis& axis,
    const LineNames& names,
    const std::function<bool(const SummaryRow&)>& is_here) {
  // Of a logarithmic axis: a mean of 0 has no place there, and is drawn at the floor.
  const double floor = floor_of_orders(summary, shown.measure).value_or(0);
  const bool floored = floor > 0;
  std::vector<Line> lines;
  for (const SummaryRow& row : summary.rows) {
    const auto name = names.of(row.settings);
    auto line = std::ranges::find(lines, name, &Line::name);
    if (line == lines.end()) {
      line = lines.insert(line, {.name = name, .rows = {}, .look = lines.size()});
    }
    const Estimate& estimate = row.estimates[shown.measure];
    if (estimate.count == 0 || (is_here && !is_here(row))) continue;
    std::ostringstream point;
    point << axis.place_of(value_of(row.settings.front())) << ' '
          << (floored ? std::max(floor, estimate.mean) : estimate.mean) << ' '
          << estimate.half_width << '\n';
    line->rows += point.str();
    line->bars = line->bars || estimate.half_width > 0;
  }
  // The rows that others are compared with have no difference, and so no line.
  std::erase_if(lines, [&](const Line& line) { return !is_here && line.rows.empty(); });
  return lines;
}

std::string plot_lines(const std::vector<Line>& lines,
    const HorizontalAxis& axis,
    const std::string& prefix,
    PictureData& data) {
  std::ostringstream plot;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string block =
        data.add(prefix + std::to_string(i), "place, mean, half of the interval", lines[i].rows);
    const std::string x = axis.column(i, lines.size());
    const std::size_t look = lines[i].look + 1;
    plot << (i > 0 ? ", " : "");
    // Points lie on their bars, not under them.
    if (lines[i].bars) {
      plot << block << " using " << x << ":2:3 with yerrorbars lt " << look
           << " lw 1 ps 0 dt solid notitle, ";
    }
    plot << block << " using " << x << ":2 with "
         << (axis.numbers() ? "linespoints" : "points ps 1.4") << " lt " << look << " lw 2"
         << (lines[i].name.empty() ? " notitle"
                                   : " title " + gnuplot_quoted(lines[i].name) + " noenhanced");
  }
  return plot.str();
}

}  // namespace dunlin::sim
