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

/// The decisions that `central` is asked for in a second as a part of those that it can make; 0 for
/// others.
double decisions_of(const Scenario& scenario, const TraceWorkload* trace) {
  if (scenario.baseline.scheduler != Scheduler::central) return 0;
  const std::chrono::duration<double> each = scenario.baseline.decision_time;
  return task_rate_of(scenario, trace) * each.count();
}

std::string decisions_warning(double part) {
  return "baseline.scheduler = \"central\" is asked for " +
      overlay::number_text(std::round(part * 1000) / 1000) +
      " times as many decisions as it can make: what it is slow at is baseline.decision_time, not "
      "the cluster; lower that, or the load";
}

}  // namespace

std::string load_warning(const Scenario& scenario, const TraceWorkload* trace) {
  const double load = lasting_load_of(scenario, trace);
  std::string text = load > 1 ? warning_of(load) : "";
  if (const double part = decisions_of(scenario, trace); part > 1) {
    text += (text.empty() ? "" : "\n") + decisions_warning(part);
  }
  return text;
}

std::string load_warning(const Study& study) {
  const auto combinations = planned_combinations(study.plan);
  std::size_t above = 0;
  double largest = 0, decisions = 0;
  for (const Settings& combination : combinations) {
    auto scenario = parse_scenario(study.text, study.file);
    // What cannot be read has no load here; check_study() tells what is wrong with it.
    const bool read = scenario && apply_settings(*scenario, study.settings) &&
        apply_settings(*scenario, full_settings(study.plan, combination)) && apply_scale(*scenario);
    const double load = read ? lasting_load_of(*scenario, nullptr) : 0;
    above += load > 1 ? 1u : 0u;
    largest = std::max(largest, load);
    if (read) decisions = std::max(decisions, decisions_of(*scenario, nullptr));
  }
  const std::string central = decisions > 1 ? decisions_warning(decisions) : "";
  if (above == 0) return central;
  return (central.empty() ? "" : central + "\n") + std::to_string(above) + " of " +
      std::to_string(combinations.size()) + " combinations: " + warning_of(largest);
}

}  // namespace dunlin::sim
