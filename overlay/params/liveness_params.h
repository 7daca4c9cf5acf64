// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::overlay {

struct LivenessParams {
  Duration period = std::chrono::seconds(2);
  double jitter = 0.1;
  Duration timeout = std::chrono::milliseconds(500);
  std::uint16_t misses = 3;
  std::uint16_t patience_max = 8;
};

/// See overlay/params.h.
void append_entries(LivenessParams& params, std::vector<ParamEntry>& entries);

}  // namespace dunlin::overlay
