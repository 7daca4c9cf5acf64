// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/plan/message.h"
#include "sched/worker/discipline/discipline.h"
#include "sched/worker/pending_requests.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"

namespace dunlin::sched {

/// The slots of this node that a plan gives to jobs, and how many of them each job holds. A job
/// with a slot left here goes before all that have none, by rank; so does a job to which the
/// manager offers a slot, because tasks of other jobs hold its own. When none of these can start a
/// task, the discipline decides as if there were no plan: no slot stays idle for the plan's sake.
///
/// Only its frontend knows how many slots a job holds in all. So it is asked for no more tasks than
/// the plan has slots for, and a job that has them all is not served by the plan for a while.
class PlannedSlots {
 public:
  /// These hold from now on; none: there is no plan.
  void set(std::span<const cell::Allotted> allotted);
  bool empty() const { return slots_.empty(); }
  /// True if the plan gives the job slots here, be they held or not.
  bool has(const JobId& job) const {
    const auto at = slots_.find(job);
    return at != slots_.end() && at->second.max() > 0;
  }

  /// Counts anew what each job holds: its running tasks, and those that are asked for.
  void recount(std::span<const RunningTask> running, std::span<const PendingRequest> asking);
  /// The rank of the job that `reserve` is of, as long as a task of it fits into what the plan
  /// gives the job here, by the last count. Empty: the plan has nothing to say about it.
  std::optional<std::uint32_t> rank(const Reserve& reserve) const;
  /// The same for a slot of this node that the job does not hold, though it has all its slots: a
  /// slot that no other job with slots can use is its own again, whatever the discipline.
  std::optional<std::uint32_t> own_rank(const Reserve& reserve) const;
  /// The tasks of `reserve` that fit into what the plan gives its job here, by the last count.
  std::uint32_t tasks_left(const Reserve& reserve) const;
  /// The slots that the plan gives the job in all, as long as a task of it fits, by the last count;
  /// else 0.
  std::uint32_t total(const Reserve& reserve) const;

  /// The job's frontend says that it has all its slots: the plan serves others now.
  void satisfy(const JobId& job, Time now);
  /// It may have lost some of them by `now`.
  void ask_again(Time now);

  /// The slots of this node that the plan gives the job.
  std::uint32_t allotted(const JobId& job) const;
  /// The slots that jobs hold beyond what the plan gives them here and in all, by the tasks that
  /// run and are to go on. Jobs that hold none beyond are left out.
  std::map<JobId, std::uint32_t> beyond(std::span<const RunningTask> running) const;

  /// The jobs that have slots left here and nothing that could use them: their frontends are to
  /// send a reservation. By rank, the lowest first.
  std::vector<cell::Allotted> lacking(
      const Queue& queue, std::span<const PendingRequest> asking) const;

 private:
  struct Slots {
    cell::Allotted allotted;
    std::uint32_t held = 0;
    Time satisfied_until{};

    /// It may hold so many here.
    std::uint32_t max() const { return allotted.slots > 0 ? allotted.slots : allotted.total; }
    bool is_satisfied() const { return satisfied_until > Time{}; }
  };
  std::map<JobId, Slots> slots_;
};

/// True if `a` is served before `b`: by the plan first, then by the discipline. A strict weak order
/// of all that waits at one moment.
bool serves_before(const Discipline& discipline,
    const QueuedReservation& a,
    const QueuedReservation& b,
    const ServiceMoment& at);

}  // namespace dunlin::sched
