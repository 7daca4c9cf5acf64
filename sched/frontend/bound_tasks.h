// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/federation/global/launches.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/workers/worker_incarnations.h"
#include "sched/turn.h"

// The news that a frontend hears, or misses, of tasks that are bound. Each function makes one step
// of a job, stores what must survive, and tells the workers concerned. None of them settles the
// job: its tasks may all be final afterwards.
namespace dunlin::sched {

/// The end of an attempt that `worker` ran, by its own word or that of a home that heard it. True
/// if it counts. `speed` is the worker's, in thousandths; 0: it does not tell.
bool record(
    Turn& turn, JobState& job, PeerId worker, const Report& report, std::uint32_t speed = 0);

/// The worker `from` gives tasks back that it never started.
void take_back(Turn& turn, JobState& job, const Endpoint& from, const Refused& refused);

/// The worker `from` says which tasks of `job` it runs. Their leases begin anew; attempts that
/// turned up are taken over; attempts that should not run are killed. `job` is nullptr if it is not
/// known here: then all of them are.
void renew(Turn& turn, JobState* job, const Endpoint& from, const Renew& renewed);

/// A task of the job `id` was launched, and this became of it. A worker that has it in vain is told
/// to stop it. `job` is nullptr if it is not known here any more.
void hear_outcome(
    Turn& turn, JobState* job, const JobId& id, const federation::LaunchOutcome& outcome);

/// Tasks not confirmed for longer than `lease`, or than their workers asked for, wait again. True
/// if there are any.
bool lose_expired(Turn& turn, JobState& job, Duration lease);

/// Tasks that a worker took in an earlier incarnation, and the present one did not confirm within
/// `patience` of its first word, wait again: they had not started. True if there are any.
bool lose_unstarted(
    Turn& turn, JobState& job, const WorkerIncarnations& workers, Duration patience);

/// Tasks bound to `worker`, which is gone, wait again.
void lose_at(Turn& turn, JobState& job, PeerId worker);

/// Says that these attempts, which are to be handed out, are the only ones of their tasks, if the
/// job runs none twice. Call it before they leave.
void say_only(Turn& turn, const JobState& job, const std::vector<Attempt>& attempts);
/// No worker told of what an earlier life handed out of such a job: those tasks end. True if there
/// are any.
bool lose_given(Turn& turn, JobState& job);

/// Cancels these tasks. Workers of those that run are told to stop them.
void cancel(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks);
/// Has the attempts of these tasks that run end, and the tasks run again. Returns how many do.
std::uint32_t requeue(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks);
/// Before a job is restored: tasks that an earlier incarnation was to cancel while they ran end so,
/// and this is stored. Their users were told, so no attempt that is on its way counts any more.
void keep_wishes(Turn& turn, StoredJob& job);
/// Cancels the tasks of groups that wait in vain for another stage of the job, and says which
/// groups may start and which never will.
void settle_stages(Turn& turn, JobState& job);
/// Cancels all tasks of the job, and stores that it is cancelled.
void cancel_all(Turn& turn, JobState& job, CancelledBy by);

}  // namespace dunlin::sched
