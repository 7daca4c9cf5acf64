// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The ideal that step 2 comes as close to as it can.
enum class ReservesObjective : std::uint8_t {
  desired,   ///< The desired shares: that of the slides.
  previous,  ///< The last allocation: that of the paper before them. Moves least.
};

/// The parameters of plan_reserves().
struct ReservesParams {
  ReservesObjective objective = ReservesObjective::desired;
  double full_use = 0.95;
  bool spare = true;
  Duration memory = std::chrono::minutes(10);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::ReservesObjective>[] = {"desired", "previous"};

/// See overlay/params.h.
void append_entries(sched::ReservesParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
