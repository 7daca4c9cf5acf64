// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/message.h"
#include "sched/replica/log.h"

namespace dunlin::sched::logs {

/// The results that a log has after `position`, as reports for another home: one message for each
/// job and worker, or more.
std::vector<Done> results_after(const replica::Log& log, std::uint64_t position);

}  // namespace dunlin::sched::logs
