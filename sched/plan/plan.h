// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/job.h"
#include "sched/plan/params.h"

// A plan divides the slots of a cell's nodes among the jobs that want them. It is computed from
// what its caller hands in and nothing else, so a manager, an experiment and a test all ask the
// same decision maker. Source: Lin 2014 (the NTU thesis), chapters 3 and 5.
namespace dunlin::sched {

/// Slots of one node, for one job. A slot runs one task at a time.
struct Allotment {
  PeerId node;
  JobId job;
  std::uint32_t slots = 0;
  friend bool operator==(const Allotment&, const Allotment&) = default;
};

/// A node, as a plan sees it.
struct PlanWorker {
  PeerId node;
  std::uint32_t slots = 0;
  double speed = 1;  ///< Above 0. A task takes its task time divided by this.
};

/// A claim: what a frontend wants for one of its jobs.
struct PlanJob {
  JobId job;
  std::int16_t priority = kPriorityDefault;
  std::optional<Duration> time_left;  ///< Until the deadline, below 0 once it is past. Empty: none.
  std::uint32_t tasks_left = 0;       ///< Tasks that have not ended: never gets more slots.
  Duration task_time{0};              ///< Of one task at speed 1. 0 is unknown.
  std::uint32_t running = 0;          ///< Slots that its tasks hold now, by plan or beyond it.
  Duration ran{0};                    ///< How long each of these tasks has run at least.
};

/// What the plan gives one job, and why.
struct JobPlan {
  JobId job;
  std::uint32_t slots = 0;        ///< All it has.
  std::uint32_t need = 0;         ///< Those its policy wanted for it; more than that are spare.
  double throughput = 0;          ///< Of its slots: tasks of a second that they end in a second.
  bool in_time = false;           ///< They end all its tasks by its deadline.
  std::optional<Duration> slack;  ///< Until the deadline when all is done, below 0 if it is missed.
  friend bool operator==(const JobPlan&, const JobPlan&) = default;
};

/// The slots of each job: in all as many as there are, or as the jobs have tasks.
struct SlotPlan {
  std::vector<JobPlan> jobs;          ///< One for each job handed in, in that order.
  std::vector<Allotment> allotments;  ///< By job in that order, then by node.
  std::uint32_t moved = 0;            ///< Slots of `held` which another job has now.
};

/// Divides the slots of `workers` among `jobs` by the policy and the spare rule of `params`.
///
/// Jobs of equal rank go in the order in which they are handed in, so the caller puts the one
/// submitted first before the others. `held` is what the plan before gave. As few of those slots
/// change their job as the new numbers allow: a slot that changes may have a task to finish first.
/// Slots of nodes or jobs that are not handed in are ignored.
///
/// O(jobs × log jobs + slots' speeds × jobs). Never fails: a plan of nothing is empty.
SlotPlan plan_slots(const PlanParams& params,
    std::span<const PlanWorker> workers,
    std::span<const PlanJob> jobs,
    std::span<const Allotment> held = {});

}  // namespace dunlin::sched
