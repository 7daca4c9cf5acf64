// SPDX-License-Identifier: MIT
#include "overlay/params/gradient_params.h"

#include "overlay/gossip.h"
#include "overlay/params/clash.h"
#include "overlay/params/param_table.h"

namespace dunlin::overlay {

Result<void> validate(const GradientParams& params) {
  if (params.timeout > params.period) {
    return clash(
        "gradient.timeout", params.timeout, "must not exceed", "gradient.period", params.period);
  }
  return {};
}

template <>
inline constexpr std::string_view kSection<GradientParams> = "gradient";
template <>
inline constexpr auto kParams<GradientParams> = std::tuple{
    Param<&GradientParams::period>{
        {std::chrono::milliseconds(50), std::chrono::hours(1), Scale::log},
        "Mean time between the exchanges a peer starts: at most 1/20 of the mean time between "
        "changes of its utility.",
        "T-Man; ID2210 section 4.1"},
    Param<&GradientParams::jitter>{
        {0, 0.5}, "Share of the period by which one may be shorter or longer.", "ours"},
    Param<&GradientParams::view_size>{{2, 64, Scale::log}, "Best peers kept.", "T-Man"},
    Param<&GradientParams::buffer_size>{{2, kSampleMax},
        "Descriptors sent in one exchange, the sender's own among them (m).", "T-Man"},
    Param<&GradientParams::candidates>{
        {1, 64, Scale::log}, "The partner is one of so many best (psi).", "T-Man"},
    Param<&GradientParams::age_limit>{
        {1, 1000, Scale::log}, "Periods after which a statement about a peer is dropped.", "ours"},
    Param<&GradientParams::timeout>{
        {std::chrono::milliseconds(10), std::chrono::seconds(30), Scale::log},
        "Wait for a reply before the partner is suspected. At most the period.", "ours"},
    Param<&GradientParams::ranking>{
        {}, "Which peers a peer wants for neighbours.", "ID2210 section 3.2"},
    Param<&GradientParams::utility>{{},
        "The number by which peers rank, in views and as targets of probes.", "ID2210 section 3.2"},
};

void append_entries(GradientParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
