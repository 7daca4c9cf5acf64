// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;

/// What the turns of a peer, or of a master, take: it is a single server, and takes one turn after
/// the other.
struct ProcessingParams {
  Duration message{0};
  Duration word{0};
  Duration row{0};
};

/// What a turn takes for all that it looked at.
constexpr Duration looking_time(
    const ProcessingParams& params, std::uint64_t rows, std::uint64_t words = 0) {
  return static_cast<Duration::rep>(rows) * params.row +
      static_cast<Duration::rep>(words) * params.word;
}
/// The time that a turn takes which looked at so much.
constexpr Duration turn_time(
    const ProcessingParams& params, std::uint64_t rows, std::uint64_t words = 0) {
  return params.message + looking_time(params, rows, words);
}
/// True if turns take any time.
constexpr bool takes_time(const ProcessingParams& params) {
  return params.message + params.word + params.row > Duration{0};
}

}  // namespace dunlin::sim

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sim::ProcessingParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
