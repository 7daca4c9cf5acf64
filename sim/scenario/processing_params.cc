// SPDX-License-Identifier: MIT
#include "sim/scenario/processing_params.h"

#include "overlay/params/param_table.h"

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

void append_entries(sim::ProcessingParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
