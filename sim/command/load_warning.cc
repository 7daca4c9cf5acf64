// SPDX-License-Identifier: MIT
#include "sim/command/load_warning.h"

#include <algorithm>
#include <cmath>

#include "overlay/param_entries.h"

namespace dunlin::sim {
namespace {

std::string warning_of(double load) {
  return "load " + overlay::number_text(std::round(load * 1000) / 1000) +
      " is above 1: more work comes than the machines can do, so queues cannot drain, and waits "
      "grow with simulation.duration";
}

/// The load, where work keeps coming; 0 where jobs are counted, since queues drain after the last.
double lasting_load_of(const Scenario& scenario, const TraceWorkload* trace) {
  return scenario.workload.jobs_max > 0 ? 0 : offered_load_of(scenario, trace);
}

}  // namespace

std::string load_warning(const Scenario& scenario, const TraceWorkload* trace) {
  const double load = lasting_load_of(scenario, trace);
  return load > 1 ? warning_of(load) : "";
}

std::string load_warning(const Study& study) {
  const auto combinations = planned_combinations(study.plan);
  std::size_t above = 0;
  double largest = 0;
  for (const Settings& combination : combinations) {
    auto scenario = parse_scenario(study.text, study.file);
    const bool read = scenario && apply_settings(*scenario, study.settings) &&
        apply_settings(*scenario, full_settings(study.plan, combination)) && apply_scale(*scenario);
    const double load = read ? lasting_load_of(*scenario, nullptr) : 0;
    above += load > 1 ? 1u : 0u;
    largest = std::max(largest, load);
  }
  if (above == 0) return "";
  return std::to_string(above) + " of " + std::to_string(combinations.size()) +
      " combinations: " + warning_of(largest);
}

}  // namespace dunlin::sim
