// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/frontend/job_table.h"
#include "sched/frontend/params.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// So many jobs are forgotten by one call at most, or lose the records of their tasks, ...
inline constexpr std::size_t kForgottenMax = 256;
/// ... with so many bytes, by JobHistory, but for one that is larger alone.
inline constexpr std::uint64_t kForgottenBytesMax = 2 << 20;

/// Forgets finished jobs, or the records of their tasks, as `params` say: those that ended too
/// long ago, and where all of them take too much, the first of the user whose jobs take most.
/// None that ended a moment ago: see FrontendParams::history_min. A bounded number at a time:
/// true if more is to go.
bool forget_history(Turn& turn, JobTable& jobs, const FrontendParams& params);

}  // namespace dunlin::sched
