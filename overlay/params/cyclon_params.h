// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::overlay {

struct CyclonParams {
  Duration period = std::chrono::seconds(1);
  double jitter = 0.1;
  std::uint16_t view_size = 20;
  std::uint16_t sample_size = 8;
  Duration timeout = std::chrono::milliseconds(500);
  std::uint16_t tries = 3;
  std::uint16_t tombstones_max = 32;
  double tombstone_chance = 0.1;
  std::uint16_t walk_hops = 5;
  std::uint16_t silence_max = 60;
  Duration rejoin_max = std::chrono::minutes(1);
};

/// Fails if parameters that are fine alone contradict each other.
Result<void> validate(const CyclonParams& params);

/// See overlay/params.h.
void append_entries(CyclonParams& params, std::vector<ParamEntry>& entries);

}  // namespace dunlin::overlay
