// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sched/plan/plan.h"
#include "sim/baseline/baseline.h"
#include "sim/baseline/task_times.h"

namespace dunlin::sim {

/// The master of the NTU thesis: one for all, which knows all workers and jobs at no cost and
/// without delay. Whenever a job comes, a task ends, or a machine fails or is back, it plans anew
/// with the same sched::plan_slots() as a manager, and carries the plan out: a slot that changes
/// its job finishes its task first or, with preemption, is taken from the job that has more tasks
/// than slots, of the lowest priority first, its youngest task first. Requires tasks of one demand.
/// Source: Lin 2014, chapters 3 to 6.
class Master final : public Baseline {
 public:
  Master(const Options& options, Recorder& recorder);

  void crash(std::uint32_t machine) override;
  void restart(std::uint32_t machine) override;

 private:
  /// A running task.
  struct Attempt {
    std::uint32_t machine = 0;
    std::uint32_t index = 0;
    Time begin{};
  };
  /// A job that has tasks left.
  struct Claim {
    PlacedJob job;
    std::deque<std::uint32_t> waiting;    ///< Tasks by index.
    std::vector<std::uint32_t> attempts;  ///< Of each task.
    std::vector<Attempt> running;         ///< In the order of their starts.
    TaskTimes times;
    sched::JobPlan plan;                   ///< What it may have.
    std::map<std::uint32_t, int> lacking;  ///< By machine: slots by plan less running tasks.

    std::int16_t priority() const { return job->job.groups.front().priority; }
    /// True if it has tasks that wait, and fewer that run than `slots`.
    bool wants(std::uint32_t slots) const { return !waiting.empty() && running.size() < slots; }
  };
  using Order = std::vector<Claim*>;

  void place(const PlacedJob& job) override;
  void on_end(std::uint32_t machine, const Work& work, Duration ran) override;
  void on_room(std::uint32_t, const PlacedJob&) override { plan_soon(); }

  /// Plans once for all that happens at this moment.
  void plan_soon();
  /// Behind all events of this moment, and those that they cause in it.
  void plan_after_others();
  /// Divides all slots anew, and starts or stops what differs.
  void plan();
  /// The job as the plan sees it.
  sched::PlanJob claim_of(const Claim& claim) const;
  /// Keeps what the plan gives each job, and where.
  void adopt(const sched::SlotPlan& plan);

  /// Starts tasks in free slots: first what policies assure, then what is spare.
  void fill();
  /// Starts tasks of the claim until it has `slots`, or no task waits or no slot is free.
  void start_up_to(Claim& claim, std::uint32_t slots);
  /// A free slot: the claim's own by plan, else the fastest. Empty if there is none.
  std::optional<std::uint32_t> free_slot(const Claim& claim) const;
  /// Stops as few tasks as make room for all that lack slots which they have by plan.
  void make_room();
  /// The attempt is over otherwise than by its end; its task waits again, before the others.
  void requeue(Claim& claim, std::size_t attempt);

  /// Claims by priority, or by what comes first for the slots beyond that.
  Order by_priority();
  /// The order in which slots that no plan needs are given.
  Order by_spare();

  sched::PlanParams plan_params_;
  bool preempts_;
  std::vector<std::uint32_t> slots_up_;         ///< By machine, while it is up.
  std::vector<std::uint32_t> slots_;            ///< By machine; 0 while it is down ...
  std::vector<std::uint32_t> free_;             ///< ... and those in which no task runs.
  std::vector<std::uint32_t> by_speed_;         ///< Machines, the fastest first.
  std::vector<std::unique_ptr<Claim>> claims_;  ///< In the order of their submits.
  std::vector<sched::Allotment> held_;          ///< By the last plan.
  bool pending_ = false;                        ///< It will plan at this moment ...
  bool dirty_ = false;                          ///< ... and something came since it last looked.
};

}  // namespace dunlin::sim
