// SPDX-License-Identifier: MIT
#include "sched/directory/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::DirectoryParams> = "directory";
template <>
inline constexpr auto kParams<sched::DirectoryParams> = std::tuple{
    Param<&sched::DirectoryParams::size_max>{{0, 65536},
        "Nodes remembered beyond the views, for listings and impossible demands; 0 turns it off."},
    Param<&sched::DirectoryParams::facts_per_tick>{
        {1, 64}, "Newly heard nodes asked for their facts at a time."},
    Param<&sched::DirectoryParams::tick>{
        {std::chrono::milliseconds(50), std::chrono::seconds(10), Scale::log},
        "Time between two such rounds."},
    Param<&sched::DirectoryParams::forget_after>{
        {std::chrono::seconds(30), std::chrono::hours(24), Scale::log},
        "A node not heard of for so long is dropped from listings."},
};

void append_entries(sched::DirectoryParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
