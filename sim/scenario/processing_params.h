// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

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
template <>
inline constexpr std::string_view kSection<sim::ProcessingParams> = "processing";
template <>
inline constexpr auto kParams<sim::ProcessingParams> = std::tuple{
    Param<&sim::ProcessingParams::message>{{std::chrono::nanoseconds(0), std::chrono::seconds(10)},
        "What a turn takes: of a peer for a message or a job that is submitted, not for its alarms "
        "and the ends of its tasks; of a master of megha for a message or a match. What it does "
        "shows at the end of the turn; what arrives meanwhile waits. 0: no time.",
        "Megha, section V: an HTTP stack"},
    Param<&sim::ProcessingParams::word>{{std::chrono::nanoseconds(0), std::chrono::seconds(1)},
        "What a turn takes besides, whatever it is for, for each word of a vector that a match "
        "looks at."},
    Param<&sim::ProcessingParams::row>{{std::chrono::nanoseconds(0), std::chrono::seconds(1)},
        "What it takes besides for each row that is verified, looked at or told, at both ends."},
};
}  // namespace dunlin::overlay
