// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "overlay/time.h"
#include "sched/plan/plan.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// The jobs in the system over time, with the slots that plans gave them and the tasks that ran.
///
/// A job is in the system from its submit until its last task ended. It is *violated* while it has
/// no slot, or no running task, and a job of lower priority has one. The violation at a moment is
/// the share of such jobs among those in the system; its mean is over the time in which there are
/// any. Source: Lin 2014, section 6.3.2, which counts slots: a full cluster without preemption
/// violates by what runs whatever its plan.
class PlanMeter {
 public:
  /// What a job has from `at` on.
  struct Change {
    Time at{};
    sched::JobId job;
    std::uint32_t slots = 0;    ///< By plan.
    std::uint32_t running = 0;  ///< Tasks.
  };
  struct Result {
    std::optional<double> by_plan;  ///< The mean violation by plan; empty if there was no plan.
    double by_running = 0;          ///< The mean violation by what ran.
    std::uint64_t plans = 0;        ///< Plans made.
    std::uint64_t moved = 0;        ///< Slots that changed their job, by all plans together.
    std::uint64_t preemptions = 0;
    double lost_share = 0;  ///< The part of all run time that preempted tasks lost.
  };
  /// The mean over the jobs in the system at one moment; 0 if there are none.
  struct PerJob {
    double slots = 0;
    double running = 0;
  };

  /// Counts the time from `from` on; with `measures` false, preemptions alone.
  explicit PlanMeter(Time from, bool measures = true) : measures_(measures), counted_(from) {}

  bool measures() const { return measures_; }

  /// The job is in the system from now on.
  void on_submit(Time now, const sched::JobId& job, std::uint32_t tasks, std::int16_t priority);
  /// A task of the job begins to run; or it ceases to, because it ended or because it was stopped.
  void on_begin(Time now, const sched::JobId& job);
  void on_cease(Time now, const sched::JobId& job, bool ended);
  /// The job is over, whatever became of its tasks.
  void on_finish(Time now, const sched::JobId& job);
  /// A plan holds from now on; jobs that it does not name keep what they have.
  void on_plan(Time now, const sched::SlotPlan& plan);
  /// A machine worked on an attempt for so long.
  void on_work(Duration ran) { run_time_ += ran; }
  /// A task that had run for so long was preempted, and will run again from its beginning.
  void on_preemption(Duration ran) {
    ++preemptions_;
    lost_ += ran;
  }

  /// Until the last job left the system.
  Result result() const;
  /// As things stand now.
  PerJob per_job() const;
  const std::vector<Change>& changes() const { return changes_; }

 private:
  struct Present {
    std::int16_t priority = 0;
    std::uint32_t left = 0;  ///< Tasks that have not ended.
    std::uint32_t slots = 0;
    std::uint32_t running = 0;
  };

  Present* find(const sched::JobId& job);
  /// Adds the time since the last change.
  void advance(Time now);
  void note(Time now, const sched::JobId& job, const Present& present);
  /// The share of the jobs that are violated now, by one of the counts.
  double violation(std::uint32_t Present::* count) const;

  bool measures_;
  std::map<sched::JobId, Present> jobs_;
  std::vector<Change> changes_;
  Time counted_;
  double seconds_ = 0;  ///< With jobs in the system.
  double by_plan_ = 0;  ///< Violation × seconds ...
  double by_running_ = 0;
  std::uint64_t plans_ = 0;
  std::uint64_t moved_ = 0;
  std::uint64_t preemptions_ = 0;
  Duration lost_{0};
  Duration run_time_{0};  ///< Of all attempts together.
};

}  // namespace dunlin::sim
