// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// Checks all that a sweep can know before its first trial: its figures, and the scenario of every
/// combination. A sweep of hours must not fail in its last trial for a value out of range. Fails
/// with `usage`, naming what is wrong.
Result<void> check_study(const Study& study);

}  // namespace dunlin::sim
