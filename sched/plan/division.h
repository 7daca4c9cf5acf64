// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sched/plan/plan.h"
#include "sched/plan/slot_pool.h"

namespace dunlin::sched {

/// A plan in the making: the jobs, what each has got so far, and the slots that are left. A policy
/// gives; it can't take away, nor give more than a job has tasks or the pool has slots.
class Division {
 public:
  Division(std::span<const PlanWorker> workers,
      std::span<const PlanJob> jobs,
      std::span<const Allotment> held);

  std::span<const PlanJob> jobs() const { return jobs_; }
  const SlotPool& pool() const { return pool_; }
  const SlotsBySpeed& slots_of(std::size_t job) const { return shares_[job].given; }

  /// Gives the job slots until these have `throughput`, at most `max` of them: the fastest that are
  /// free. Slots that it held stay with it instead while they are no more than a fifth slower, or,
  /// where throughput has a bound, no more than a quarter more: a slot that moves has a task to
  /// finish first.
  void give(std::size_t job,
      std::uint32_t max,
      double throughput = std::numeric_limits<double>::infinity());
  /// Gives the job the fewest slots that end all its tasks within `time`, above 0. Only a task
  /// that ends in time counts. A slot where none does counts by the part of a task that it ends:
  /// such a job is late, and the more slots it has the sooner it ends.
  void give_in_time(std::size_t job, Duration time);
  /// True if what it has got ends all its tasks by its deadline, counted in the same way.
  bool ends_in_time(std::size_t job) const;
  /// Gives the job all the slots that it can use.
  void give_all(std::size_t job) { give(job, pool_.free()); }

  /// The jobs' indices, by priority, highest first.
  std::vector<std::size_t> by_priority() const;
  /// The jobs' indices, by deadline, earliest first; those without one last.
  std::vector<std::size_t> by_deadline() const;

  /// The work left of a job, as seconds of one slot at speed 1. A job whose task time is not known
  /// counts as one whose tasks take the mean of all others', or a second if none is known.
  double work_of(std::size_t job) const;

 private:
  struct Share {
    SlotsBySpeed given;
    SlotsBySpeed held;  ///< By the plan before, and not given yet.
  };

  void give(std::size_t job, std::uint32_t max, double enough, const WorthBySpeed& worth);
  SlotsBySpeed chosen(
      std::size_t job, std::uint32_t max, double enough, const WorthBySpeed& worth) const;
  void take(std::size_t job, const SlotsBySpeed& slots);
  /// What a slot of each speed ends within `time`, the task in it having run for `ran`.
  WorthBySpeed whole_tasks_of(std::size_t job, Duration time, Duration ran) const;
  /// The tasks that these end fewer in `time` because the job does not hold all of them yet.
  double missed_by(std::size_t job, const SlotsBySpeed& slots, Duration time) const;
  double task_seconds(std::size_t job) const;

  std::span<const PlanJob> jobs_;
  SlotPool pool_;
  std::vector<Share> shares_;  ///< One for each job.
  double usual_seconds_ = 1;   ///< The task time of a job that has none.
};

}  // namespace dunlin::sched
