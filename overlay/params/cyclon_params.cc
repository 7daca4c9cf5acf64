// SPDX-License-Identifier: MIT
#include "overlay/params/cyclon_params.h"

#include "overlay/gossip.h"
#include "overlay/params/clash.h"
#include "overlay/params/param_table.h"

namespace dunlin::overlay {

Result<void> validate(const CyclonParams& params) {
  if (params.timeout > params.period) {
    return clash(
        "cyclon.timeout", params.timeout, "must not exceed", "cyclon.period", params.period);
  }
  if (params.sample_size > params.view_size) {
    return clash("cyclon.sample_size", params.sample_size, "must not exceed", "cyclon.view_size",
        params.view_size);
  }
  return {};
}

template <>
inline constexpr std::string_view kSection<CyclonParams> = "cyclon";
template <>
inline constexpr auto kParams<CyclonParams> = std::tuple{
    Param<&CyclonParams::period>{
        {std::chrono::milliseconds(50), std::chrono::minutes(1), Scale::log},
        "Mean time between the shuffles a peer starts.", "Cyclon section 2"},
    Param<&CyclonParams::jitter>{{0, 0.5},
        "Share of the period by which one may be shorter or longer: peers drift apart.", "ours"},
    Param<&CyclonParams::view_size>{{2, 64, Scale::log},
        "Links a peer keeps (c): 20 up to 10,000 peers, 30 for margin.", "Cyclon section 2"},
    Param<&CyclonParams::sample_size>{
        {1, kSampleMax}, "Links swapped in one shuffle (l).", "Cyclon section 2"},
    Param<&CyclonParams::timeout>{
        {std::chrono::milliseconds(10), std::chrono::seconds(30), Scale::log},
        "Wait for a reply before the partner is given up. At most the period.", "ours"},
    Param<&CyclonParams::tries>{{1, 4},
        "Partners tried in one period: with 3, dead links are gone in half the time.", "ours"},
    Param<&CyclonParams::tombstones_max>{
        {0, 64}, "Failed peers remembered: they join the halves of a partition again.", "ours"},
    Param<&CyclonParams::tombstone_chance>{
        {0, 1}, "Chance, each period, to try one of them.", "ours"},
    Param<&CyclonParams::walk_hops>{
        {1, 10}, "Length of the random walks that introduce a newcomer.", "Cyclon section 2.4"},
    Param<&CyclonParams::silence_max>{{5, 1000, Scale::log},
        "Periods in which nobody shuffled with a peer until it joins anew: 3 view sizes.", "ours"},
    Param<&CyclonParams::rejoin_max>{{std::chrono::seconds(1), std::chrono::hours(1), Scale::log},
        "Longest wait between two attempts to join; there is no last one.", "ours"},
};

void append_entries(CyclonParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
