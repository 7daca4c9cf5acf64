// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/ranking.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::overlay {

struct GradientParams {
  Duration period = std::chrono::seconds(1);
  double jitter = 0.1;
  std::uint16_t view_size = 20;
  std::uint16_t buffer_size = 10;
  std::uint16_t candidates = 10;
  std::uint16_t age_limit = 5;
  Duration timeout = std::chrono::milliseconds(500);
  Ranking ranking = Ranking::gradient;
  Utility utility = Utility::cpu_memory;
};

/// Fails if parameters that are fine alone contradict each other.
Result<void> validate(const GradientParams& params);

/// See overlay/params.h.
void append_entries(GradientParams& params, std::vector<ParamEntry>& entries);

}  // namespace dunlin::overlay
