// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "node/message.h"
#include "overlay/result.h"
#include "sched/cell/message.h"

// The class table as operators change it: classes by name and weight.
namespace dunlin::node {

/// The largest weight of a class: proportions finer than this are of no use.
inline constexpr std::int64_t kWeightMax = 1'000'000;

struct ClassEdit {
  std::vector<std::pair<std::string, std::int64_t>> set;  ///< Classes and their new weights.
  std::vector<std::string> remove;
  std::optional<sched::books::PlanRule> plan{};  ///< The rule of plans from then on.
};

/// `table` with the edit done, of the next edition; `chance` as in sched::next_version(). Fails
/// with `usage` if a name or weight makes no sense, a class is named twice, or there would be too
/// many; `not_found` if one to be removed is none; `conflict` if none would be left. Says the cure.
Result<sched::books::Classes> edited(
    const sched::books::Classes& table, const ClassEdit& edit, std::uint64_t chance);

/// The table by which a manager shares, as it reported.
sched::books::Classes table_of(const CellReport& report);

}  // namespace dunlin::node
