// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// Task groups of which no task waits any more, as their frontends lately said. Reservations of
/// them that still walk would only hold slots for a round trip, in vain, so they end here. They are
/// remembered for a moment only, because a task that is lost will be asked for again.
class ExhaustedGroups {
 public:
  /// Reservations of the group up to this one are of no use.
  void learn(Time now, const JobId& job, std::uint16_t group, std::uint32_t probe);
  bool covers(Time now, const Reserve& reserve) const;

 private:
  struct Entry {
    JobId job;
    std::uint16_t group = 0;
    std::uint32_t probe = 0;
    Time until{};
  };
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  ///< The entry that makes room, once there are enough.
};

}  // namespace dunlin::sched
