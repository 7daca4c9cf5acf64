// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/directory/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/logs/lack.h"
#include "sched/logs/moved_submits.h"
#include "sched/peer.h"
#include "sched/worker/worker.h"

// A peer makes its parts when they first have something to do. Code that does not care reads
// through these functions: an absent part answers as an idle one would.
namespace dunlin::sched {

/// Every node that `peer` has heard of; an empty directory before the first.
const Directory& directory_of(const Peer& peer);
/// The jobs without replicas submitted at `peer`; a frontend without jobs before the first.
const Frontend& frontend_of(const Peer& peer);
/// The frontend that drives the job, that of jobs without replicas if none does.
const Frontend& frontend_of(const Peer& peer, const JobId& job);
/// The job, if it is driven here; nullptr if not.
const JobState* find_job(const Peer& peer, const JobId& job);
/// The job of that number which `origin` took, if it is driven here; nullptr if not.
const JobState* find_job(const Peer& peer, PeerId origin, std::uint32_t number);
/// The job of that submission, if it is driven here; nullptr if there is none, or no key.
const JobState* find_key(const Peer& peer, const SubmitKey& key);
/// The job of that submission, driven here, or taken here and driven by another node by now. Fails
/// (`timeout`) if it was taken here and the node that drives it now may not have it.
Result<std::optional<logs::MovedSubmit>> find_submission(const Peer& peer, const SubmitKey& key);
/// True if this node surely never gave a job that number: no other node has such a job of it.
bool never_gave(const Peer& peer, std::uint32_t number);
/// What the acknowledgement of a job waits for that requires replicas; Lack::none if it may be
/// told, or is not driven here.
logs::Shortfall shortfall_of(const Peer& peer, Time now, const JobId& job);
/// What is lacking before that job, which is driven here, outlives as many nodes as it has
/// replicas; Lack::none for one without.
logs::Shortfall exposure_of(const Peer& peer, Time now, const JobState& job);
/// All jobs that are driven here, those that were submitted here first, ascending by number.
std::vector<const JobState*> jobs_of(const Peer& peer);
/// Those of them that have ended while their commands for that have not, in the same order. It
/// costs what it returns, however many jobs there are.
std::vector<const JobState*> open_end_commands_of(const Peer& peer);
/// The greatest number of the jobs that this node took and drives; 0 if it drives none of them.
std::uint32_t last_number_of(const Peer& peer);
/// What the jobs of a user hold here that have not finished.
UserHolding holding_of(const Peer& peer, const std::string& user);
/// The number of jobs driven here that have not finished.
std::uint32_t active_jobs_of(const Peer& peer);
/// The longest that a job driven here has waited for its first task, since its submit or the time
/// that its user named; zero if none waits that may run.
Duration longest_wait_of(const Peer& peer, Time now);
/// The resources free at the node now; all that it has before its first task.
Resources free_of(const Peer& peer);
/// The number of tasks that run at the node.
std::uint32_t running_of(const Peer& peer);

/// The states of a node's slots, one for each CPU: busy with tasks; occupied, which is held for
/// tasks that do not run yet, be it for an answer to GetTask or until others have left; down, as
/// all other slots of a node that takes no task; or available. `worker` is its worker, nullptr
/// before its first task; `total` what it offers. Source: Lin 2014, section 3.2 (one worker of the
/// thesis is one slot here).
SlotCounts slot_counts(const Worker* worker, const Resources& total);

}  // namespace dunlin::sched
