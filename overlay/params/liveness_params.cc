// SPDX-License-Identifier: MIT
#include "overlay/params/liveness_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<LivenessParams> = "liveness";
template <>
inline constexpr auto kParams<LivenessParams> = std::tuple{
    Param<&LivenessParams::period>{
        {std::chrono::milliseconds(50), std::chrono::hours(1), Scale::log},
        "Time between pings of a peer's neighbours, one after the other.", "SWIM section 3.1"},
    Param<&LivenessParams::jitter>{
        {0, 0.5}, "Share of the period by which one may be shorter or longer.", "ours"},
    Param<&LivenessParams::timeout>{
        {std::chrono::milliseconds(10), std::chrono::seconds(30), Scale::log},
        "Wait for a pong before it counts as missed, while all is well.", "SWIM section 3.1"},
    Param<&LivenessParams::misses>{
        {1, 10}, "Pings in a row without a pong until a neighbour is down.", "ours"},
    Param<&LivenessParams::patience_max>{{0, 8},
        "Greatest local health score: each missed pong of anybody lengthens the waits, since the "
        "fault may be ours.",
        "Lifeguard section IV.A"},
};

void append_entries(LivenessParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
