// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

// What is told of an agent to whoever collects figures, in one table: the text for Prometheus, the
// board and the page docs/guide/web.md follow from it, and each alert names metrics of it.
namespace dunlin::web {

/// Where the values of a metric come from, in the answer of `status`.
enum class Origin : std::uint8_t {
  reading,  ///< A gauge: members of the answer, see all_readings().
  version,  ///< A gauge of 1, with the version as its label.
  state,    ///< A gauge for each state of a node: 1 of the one that it is in.
  store,    ///< A gauge: 1 if records can be written.
  counter,  ///< The counter `from`.
  family,   ///< Each counter whose name begins with `from`; what follows is the label's value.
};

/// How a board shows the values of many nodes in one panel, which has a bounded number of lines.
enum class Gather : std::uint8_t {
  sum,      ///< All nodes together, by the label if there is one.
  highest,  ///< The nodes where it is highest.
  lowest,   ///< The nodes where it is lowest.
};

/// A metric: what Prometheus calls a family of series.
struct Metric {
  std::string_view name;   ///< "dunlin_slots".
  std::string_view label;  ///< Besides those that Prometheus adds; empty: none.
  Origin origin = Origin::reading;
  std::string_view from;  ///< See Origin.
  Gather gather = Gather::sum;
  std::string_view unit;  ///< In the words of Grafana: "short", "s", "bytes".
  std::string_view part;  ///< The part of the board where it stands.
  std::string_view help;  ///< What it means, without a dot at the end.
};

/// One series of a gauge.
struct Reading {
  std::string_view name;   ///< Of the metric.
  std::string_view value;  ///< Of its label; empty: it has none.
  /// The names of members in the answer of `status`, from the outside in. A flag counts as 0 or 1.
  std::array<std::string_view, 2> where;
  double scale = 1;  ///< The member's value times this is the series'.
};

/// All metrics. Those of one part of the board stand together.
std::span<const Metric> all_metrics();
/// All readings; those of one metric stand together.
std::span<const Reading> all_readings();
/// The metric that has a counter of that name; nullptr: it is one that this build does not know.
const Metric* metric_of_counter(std::string_view counter);
/// True if its values only grow, until the agent begins anew.
bool is_counter(const Metric& metric);

}  // namespace dunlin::web
