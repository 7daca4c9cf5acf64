// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/control/json.h"
#include "overlay/result.h"
#include "sched/frontend/job_state.h"

// Groups that wait for others of their job, as clients speak of them.
namespace dunlin::node {

/// Sets what the groups wait for, by the names that each gave. Fails with `usage`, naming the
/// group.
Result<void> set_stages(
    std::vector<sched::TaskGroup>& groups, std::vector<std::vector<std::string>> names);

/// The groups that a group waits for, or waited for.
Json stages_json(const sched::JobState& job, std::uint16_t group);
/// "group reduce waits for map: 12 of 40 tasks left". Requires that it waits.
std::string stage_text(const sched::JobState& job, std::uint16_t group);
/// The same of the first group that waits; empty if none does.
std::string stage_text(const sched::JobState& job);
/// Why tasks were cancelled, if because a group that theirs waited for did not succeed.
std::string missed_stage_text(const sched::JobState& job);

}  // namespace dunlin::node
