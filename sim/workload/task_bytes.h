// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "sched/job.h"
#include "sched/turn.h"
#include "sim/workload/workload.h"

// A simulated task as bytes, in the spec of its group or in its own entry: 8 bytes of nanoseconds
// as in duration_bytes(), and, for a task that takes other rates or CPUs than it demands, 20 more.
namespace dunlin::sim {

/// A task that really takes `use`, but for its memory, of which all takes what it demands.
std::string task_bytes(Duration duration, const sched::Resources& use);

/// What a task really takes. What it reads from the disk it fetches over the network if its input
/// is elsewhere.
sched::Resources use_of(const sched::Launch& launch);
sched::Resources use_of(
    const sched::TaskGroup& group, std::uint32_t index, sched::InputPlace input);
/// What such a task, with its input elsewhere, takes of the machine that has it.
sched::Resources use_at_source(const sched::Resources& use);

}  // namespace dunlin::sim
