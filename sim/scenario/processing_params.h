// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;

/// What the turns of a master take: it is a single server, and takes one turn after the other.
struct ProcessingParams {
  Duration message{0};
  Duration word{0};
  Duration row{0};
};

/// The time that a turn takes which looked at so much.
constexpr Duration turn_time(
    const ProcessingParams& params, std::uint64_t rows, std::uint64_t words = 0) {
  return params.message + static_cast<Duration::rep>(rows) * params.row +
      static_cast<Duration::rep>(words) * params.word;
}

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kSection<sim::ProcessingParams> = "processing";
template <>
inline constexpr auto kParams<sim::ProcessingParams> = std::tuple{
    Param<&sim::ProcessingParams::message>{{std::chrono::nanoseconds(0), std::chrono::seconds(10)},
        "megha: what a turn of a master takes, be it for a message or for a match. What it sends "
        "leaves at the end of the turn; what arrives meanwhile waits. 0: no time.",
        "Megha, section V: an HTTP stack"},
    Param<&sim::ProcessingParams::word>{{std::chrono::nanoseconds(0), std::chrono::seconds(1)},
        "megha: what a turn takes besides for each word of a vector that a match looks at."},
    Param<&sim::ProcessingParams::row>{{std::chrono::nanoseconds(0), std::chrono::seconds(1)},
        "megha: what it takes besides for each row that is verified, looked at or told, at both "
        "ends."},
};
}  // namespace dunlin::overlay
