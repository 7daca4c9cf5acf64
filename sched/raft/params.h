// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The times and bounds by which the replicas of a cell's books keep in step.
struct RaftParams {
  Duration election_timeout = std::chrono::seconds(2);
  Duration heartbeat = std::chrono::milliseconds(500);
  Duration snapshot_timeout = std::chrono::seconds(5);
  Duration catch_up_timeout = std::chrono::seconds(10);
  std::uint32_t snapshot_threshold = 32;
  std::uint32_t snapshot_trailing = 16;
  std::uint16_t proposals_max = 1024;
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sched::RaftParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
