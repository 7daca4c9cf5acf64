// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/json.h"
#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// The lines of a job that are told with it at most: more than a job file has.
inline constexpr std::size_t kSaidLinesMax = std::size_t{1} << 20;

/// The job in the words of a submit: what parse_job() reads as an equal one, but for its owner and
/// key. Fails with `refused` if it has too many lines, with `corrupt` if a command makes no sense.
Result<Json> said_job(const sched::Job& job);

}  // namespace dunlin::node
