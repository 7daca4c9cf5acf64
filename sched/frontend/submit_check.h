// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"
#include "sched/directory/directory.h"
#include "sched/job.h"
#include "sched/ledger/roster.h"

namespace dunlin::sched {

/// Finds mistakes that no node could mend: no tasks, too many, or numbers out of range. Fails with
/// `usage`, and names the group. The command line checks them too, but a job may come from any
/// client.
Result<void> check_job(const Job& job);

/// Checks that a job's class exists in `known`, for a typing error in its name would put the job
/// into the class "default", unnoticed. An empty name is the default class. Fails (`usage`) if the
/// name is malformed, (`refused`) if there is no such class.
Result<void> check_class(const std::string& name, const books::Classes& known);

/// The operator's defaults are a floor for the replicas of a job; its user may ask for more. Not
/// for a job with a gang, which can have none: see check_gangs().
void raise_replicas(Job& job, std::uint8_t replicas, std::uint8_t required);

/// Checks that groups that are to start together can: a frontend has to launch by a view, as
/// `launches` says, and the job must be its own. Fails with `usage` or `refused`.
Result<void> check_gangs(const Job& job, bool launches);

/// The same as check_gangs() and check_replicas() together.
Result<void> check_needs(const Job& job, bool launches, bool keeps_logs);

/// Checks that no node which may become a standby of the job would lose what it says: the home does
/// not choose its standbys job by job. Fails with `refused`, and names the node and the words.
Result<void> check_words(const Job& job, const Directory& directory, Time now);

/// Checks that the job can have the replicas that it wants, where its frontend `keeps_logs` or not.
/// Fails with `usage` or `refused`.
Result<void> check_replicas(const Job& job, bool keeps_logs);

}  // namespace dunlin::sched
