// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/ledger/roster.h"
#include "sched/plan/params.h"

// The rule of plans as the class table carries it, which reaches every node and stands in the books
// of every cell.
namespace dunlin::sched {

/// The settings by which managers plan; empty: they do not.
std::optional<PlanParams> plan_params(const books::PlanRule& rule);
/// The same settings for the class table. Empty: the rule that turns plans off. The reserve is
/// rounded to thousandths.
books::PlanRule plan_rule(const std::optional<PlanParams>& params);

}  // namespace dunlin::sched
