// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// What workers that pack are told of a job, with a reservation of its group `group`. `mean` as for
/// work_left().
Extent extent_of(const JobState& job, std::uint16_t group, Time now, Duration mean);

/// What workers were told of the extent of one group, and when they are told again.
class ExtentNews {
 public:
  /// Tells so seldom at most.
  static constexpr Duration kPause = std::chrono::seconds(1);

  /// True if the work left or what is held in some dimension is by a quarter other than told, and
  /// kPause has passed; or if nothing was told yet. Then they are told, from now on.
  bool tell(const Extent& now, Time at);

 private:
  std::vector<Extent> told_;  ///< One at most; it takes no room before there is one.
  Time at_{};
};

}  // namespace dunlin::sched
