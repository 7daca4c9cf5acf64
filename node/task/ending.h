// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "node/warden/protocol.h"
#include "sched/turn.h"

// The end of an attempt in the words of scheduling.
namespace dunlin::node {

/// The outcome that a warden's `ending` stands for.
sched::Outcome outcome_of(warden::Ending ending);

/// The party at fault for it. `own_directory`: the task runs in a directory that it named. What it
/// named and cannot be used is its own fault, unless the errno `status` says that the node is.
sched::Cause cause_of(warden::Ending ending, std::int32_t status, bool own_directory);

/// An attempt that its node could not start, for the reason `detail` and with the errno `status`,
/// or lost while it ran, or whose description makes no sense. Index and attempt are left out.
sched::Report not_started(std::int32_t status, std::string detail);
sched::Report interrupted(std::string detail);
sched::Report wrong_task(std::string detail);
/// The errno with which the warden could not write the output of an attempt that ended, by its
/// detail; 0 if it wrote all.
std::int32_t unwritten_errno(const warden::Exited& exited);
/// An attempt that ended as `report` says when its output could not be written, with the errno
/// `error`, to the disk of `directory`: its node lost it.
sched::Report unwritten(
    const sched::Report& report, std::int32_t error, const std::string& directory);

/// A task that does nothing, to learn if tasks can start. `number` is of this trial.
sched::Launch trial_launch(std::uint16_t number);
/// True if `job` is that of trials: no frontend has it.
bool is_trial(const sched::JobId& job);
/// Why no task can start, by the report of a trial; empty if one can.
std::string failure_of_trial(const sched::Report& report);

}  // namespace dunlin::node
