// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "node/control/json.h"
#include "sched/usage/usage_report.h"

// Usage as agents tell it to each other and to people.
namespace dunlin::node {

/// The sums for people: milliseconds and MiB × seconds, whole ones. None is below 0.
Json usage_sums_json(const sched::UsageSums& sums);

/// What this node has, for an agent that adds up what all have: exact, see UsagePart on the page.
Json usage_parts_json(const std::vector<sched::UsagePart>& parts);
/// Reads it: another node may have made it of anything, and what makes no sense is left out.
std::vector<sched::UsagePart> usage_parts_of(const Json& answer);

}  // namespace dunlin::node
