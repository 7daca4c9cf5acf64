// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::sim {

/// A parameter, and the values that it takes in turn.
struct Axis {
  /// A parameter as --set names it, or the name of cases.
  std::string key;
  std::vector<std::string> values;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Reads "workload.load=0.5,0.8,0.9".
Result<Axis> parse_axis(std::string_view text);

/// A point that is known from elsewhere, or a level to be held, drawn beside the measured values.
struct Reference {
  std::string measure;      ///< The picture in which it belongs.
  std::optional<double> x;  ///< On the first axis; of a timeline, in seconds. Empty: everywhere.
  double y = 0;
  std::string label;
  friend bool operator==(const Reference&, const Reference&) = default;
};

/// Reads "dead_links 22 0.01 80 % killed": measure, x (or "*"), y, and what it is.
Result<Reference> parse_reference(const std::string& text);

/// Checks the name of a measure of the overlay's health, or "share.CLASS": that class's share of
/// all that is occupied. Fails on any other name, listing all measures.
Result<std::string> parse_timeline(const std::string& name);
/// The class of a timeline; empty if it is of none.
std::string class_of_timeline(const std::string& name);

/// The combinations of the axes' values that are run.
enum class Design : std::uint8_t {
  product,  ///< All.
  star,     ///< Per value of the first axis: all others at their first value but one.
};
Result<Design> parse_design(const std::string& word);

/// The way in which figures are drawn.
enum class PictureKind : std::uint8_t {
  best,    ///< Lines if there are at most ten, else a map of two axes, or panels.
  lines,   ///< Over the first axis, a line for each combination of the others.
  heat,    ///< A map of the two axes that vary.
  facets,  ///< A panel for each value of the last axis.
};
Result<PictureKind> parse_picture(const std::string& word);

/// How narrow intervals are to be: "5%" is .05 of the mean.
Result<double> parse_until(const std::string& text);

/// The variations of a scenario: combinations of the axes' values, each run several times.
struct StudyPlan {
  std::vector<Axis> axes;
  Design design = Design::product;
  std::uint32_t replications = 3;
  /// If not 0, each combination is repeated until half of the measure's interval is at most this
  /// part of its mean.
  double until = 0;
  PictureKind picture = PictureKind::best;
  std::string measure = "job_delay_mean_ms";  ///< The figure drawn over the first axis ...
  std::vector<std::string> also;              ///< ... and further figures, each in its own picture.
  /// Combinations that are not run: each entry lists values that do not go together.
  std::vector<std::vector<std::string>> without;
  /// Where the first value of an entry is set, so are the others.
  std::vector<std::vector<std::string>> with;
  /// The name of an axis that is no parameter: each value is a case, and `with` lists its settings.
  std::string cases;
  std::vector<std::string> timelines;  ///< Measures of health that are drawn over time ...
  overlay::Duration since{0};          ///< ... from this moment on, which is their 0.
  std::vector<Reference> references;
};

/// A combination of the axes' values.
using Settings = std::vector<std::string>;  // "key=value"

/// "a=1, b=2"; `if_empty` if nothing is set.
std::string joined(const Settings& settings, std::string_view if_empty = "value");

/// All combinations, the last axis varying fastest. One without settings if there is no axis.
std::vector<Settings> combinations_of(const std::vector<Axis>& axes);
/// The combinations that the plan's design keeps, and that are not excepted.
std::vector<Settings> planned_combinations(const StudyPlan& plan);

/// Fails if there are cases without an entry in `with`.
Result<void> check_cases(const StudyPlan& plan);

/// The parameters that a combination sets, and those that the plan sets with them.
Settings full_settings(const StudyPlan& plan, const Settings& combination);

/// The settings that distinguish a combination from others with the same value of the first axis:
/// "a=1, b=2". Axes with one value are left out, and so are the first values in a star.
std::string line_name(const StudyPlan& plan, const Settings& settings);

}  // namespace dunlin::sim
