// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The parameters of a manager that plans. The rule of the plan is set for the whole cluster, as
/// shares are: see PlanParams.
struct PlannerParams {
  Duration gap = std::chrono::milliseconds(100);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sched::PlannerParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
