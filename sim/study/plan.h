// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::sim {

/// A parameter and the values it is to have.
struct Axis {
  std::string key;
  std::vector<std::string> values;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Reads "workload.load=0.5,0.8,0.9".
Result<Axis> parse_axis(std::string_view text);

/// How a scenario is to be varied: every combination of the axes' values, each so many times.
struct StudyPlan {
  std::vector<Axis> axes;
  std::uint32_t replications = 3;
  std::string measure = "job_delay_mean_ms";  ///< What is drawn, over the first axis.
};

/// A combination of the axes' values.
using Settings = std::vector<std::string>;  // "key=value"

/// All combinations, the last axis varying fastest. One without settings if there is no axis.
std::vector<Settings> combinations_of(const std::vector<Axis>& axes);

}  // namespace dunlin::sim
