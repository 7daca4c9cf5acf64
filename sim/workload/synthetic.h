// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/resources.h"
#include "sim/scenario/machines.h"
#include "sim/scenario/workload_params.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// Jobs with equally many tasks, each at a frontend drawn by chance. They arrive as a Poisson
/// process (the rate may come in bursts), or at a fixed pace. Sparrow's own workload: per_job,
/// exponential, 100 tasks of 100 ms. Demands have a stream of chance of their own: with and without
/// them the same jobs arrive.
/// Source: Ousterhout 2013, section 7 and figure 5.
class SyntheticWorkload final : public Workload {
 public:
  struct Setting {
    Fleet machines;
    ConstraintProfile profile = ConstraintProfile::none;  ///< The profile of demands on attributes.
    Time end{};                                           ///< The arrival of the last job.
  };
  /// Requires that a task fits one of the machines.
  SyntheticWorkload(const WorkloadParams& params, const Setting& setting, Rng rng);

  std::optional<Submission> next() override;
  std::uint64_t left_out() const override { return left_out_; }

  /// The number of tasks of the usual size that the cluster can run at once.
  std::uint64_t slots() const { return slots_; }
  /// The mean time between two jobs that keeps the share `load` of all slots busy.
  Duration mean_gap() const { return mean_gap_; }

 private:
  /// The next job that arrives, even if no machine can run it.
  std::optional<Submission> arrive();
  /// Of one task, or of all tasks of a job, as the scenario says; at least 1 ns.
  Duration draw_duration();
  /// That of the `index`-th task of a job, with Durations::rising.
  Duration rising_duration(std::uint32_t index) const;
  /// Equal for all tasks of a job.
  sched::Resources draw_demand();
  /// When the next job comes, bursts reckoned in.
  Time next_arrival();
  /// The mean time between jobs at this moment, which a burst shortens.
  Duration gap_at(Time when) const;

  WorkloadParams params_;
  Eligibility eligibility_;
  ConstraintDraw constraints_;
  std::uint64_t slots_ = 0;
  Duration mean_gap_;
  Time at_;
  Time end_;
  Rng sizes_;
  Rng terms_;  ///< Priorities.
  Rng rng_;
  std::uint64_t jobs_ = 0;
  std::uint64_t left_out_ = 0;
};

/// The share of all slots that the jobs would keep busy: `load`, or what `job_gap` makes of it. 0
/// if no task fits a machine.
double synthetic_load(const WorkloadParams& params, const Fleet& machines);
/// Tasks that come in a second, on average.
double synthetic_task_rate(const WorkloadParams& params, const Fleet& machines);

/// A Pareto draw between some least duration and `spread` times that, scaled to the mean `mean`.
/// Requires shape > 0 and spread > 1.
Duration draw_pareto(Duration mean, double shape, double spread, Rng& rng);

}  // namespace dunlin::sim
