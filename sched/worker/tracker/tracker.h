// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sched/job.h"
#include "sched/resources.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/slots.h"
#include "sched/worker/tracker/measured.h"
#include "sched/worker/tracker/params.h"
#include "sched/worker/tracker/recent_peak.h"

namespace dunlin::sched {

/// Follows what a node and its tasks really use. What is used by something else, the *background*,
/// the node does not offer; and what a task does not use of its demand others may have meanwhile,
/// if the operator says so. Tasks that run stay, whatever comes. Source: Grandl 2014, by its
/// slides: a tracker on each machine reports use by tasks and by other activity, such as ingestion
/// and evacuation; unused allocations are given to others; young tasks count with their demand.
///
/// Tasks and nodes are not counted at one moment, so what a task begins to do seems to be another's
/// at first: use by others counts once two looks have seen it, and a task may have used what it
/// used at the look before.
///
/// Offered is the total less the background less a *charge* for each task: its demand, or its
/// recent peak and a tenth, if that is less and the task is older than ramp_up.
class Tracker {
 public:
  /// `reclaims`: what tasks do not use, others may have.
  Tracker(const TrackerParams& params, bool reclaims) : params_(params), reclaims_(reclaims) {}

  /// What was measured changes what `slots` offers. `running` are the tasks of `slots`.
  void hear(Time now, const Measured& measured, std::vector<RunningTask>& running, Slots& slots);

 private:
  using Peaks = std::array<RecentPeak, kAmounts.size()>;
  using Amounts = std::array<std::uint32_t, kAmounts.size()>;
  struct TaskPeaks {
    Peaks peaks{};
    Amounts last{};  ///< At the look before.
  };
  /// A task that runs, for one look.
  struct Followed {
    RunningTask& task;
    const MeasuredTask* measured;  ///< Null: nothing is known of it.
    TaskPeaks& known;
  };

  bool watches(std::size_t resource, const Resources& total) const;
  /// The tasks that have started. Forgets all others.
  std::vector<Followed> follow(const Measured& measured, std::vector<RunningTask>& running);
  /// What the task may have used of it.
  std::uint32_t use_by(const Followed& followed, std::size_t resource, Time now) const;
  /// What others may have of its demand.
  Resources relief(const Followed& followed, const Resources& total, Time now) const;
  /// What something else uses of `node`, less `by_tasks`.
  Resources background(
      const Resources& node, const Resources& by_tasks, const Resources& total, Time now);

  TrackerParams params_;
  bool reclaims_;
  Peaks background_;
  Amounts others_{};  ///< What others used at the last look.
  std::map<AttemptKey, TaskPeaks> tasks_;
};

}  // namespace dunlin::sched
