// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string_view>

#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::cli {

/// Reads when a job should have ended, or another moment that `what` names in errors, as time from
/// `now` on: a time such as "10m" or "in 1h30m"; or a moment, as parse_wall_time() reads it. Fails
/// with `usage`, also if it is past or more than ten years away.
Result<overlay::Duration> parse_deadline(std::string_view text,
    std::chrono::system_clock::time_point now,
    std::string_view what = "deadline");

/// Fails with `usage` if it is neither "run" nor "cancel": see sched::PastDeadline.
Result<void> check_past_deadline(std::string_view word);

}  // namespace dunlin::cli
