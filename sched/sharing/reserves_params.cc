// SPDX-License-Identifier: MIT
#include "sched/sharing/reserves_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::ReservesParams> = "cluster_reserves";
template <>
inline constexpr auto kParams<sched::ReservesParams> = std::tuple{
    Param<&sched::ReservesParams::objective>{{},
        "The new allocation is close to the desired shares on each node, or to the last one.",
        "CS 736 slides, (2); Aron 2000"},
    Param<&sched::ReservesParams::full_use>{{0.5, 1.0},
        "A class that used this share of its tickets has used them up: a resource sink."},
    Param<&sched::ReservesParams::spare>{{},
        "Tickets left over go to classes that can use them, first to those that contributed.",
        "CS 736 slides, distribution of unassigned resource"},
    Param<&sched::ReservesParams::memory>{
        {std::chrono::seconds(1), std::chrono::hours(24 * 7), Scale::log},
        "Contributions older than this are forgotten."},
};

void append_entries(sched::ReservesParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
