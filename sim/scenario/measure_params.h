// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;

/// The measures of a run that a scenario chooses.
struct MeasureParams {
  Duration cutoff{0};
  Duration slowdown_floor{0};
  Duration health_period{0};
  /// Bounds what a look costs: paths and clusters are searched for so many peers.
  std::uint32_t health_sample = 100;
  bool cell_cpu = false;
  bool plans = false;
  Duration list_at{0};
  Duration list_period = std::chrono::seconds(1);
  Duration balance_interval = std::chrono::seconds(1);
  Duration resource_period{0};
  std::uint32_t job_records = 0;
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sim::MeasureParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
