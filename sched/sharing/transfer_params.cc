// SPDX-License-Identifier: MIT
#include "sched/sharing/transfer_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::TransferParams> = "transfer";
template <>
inline constexpr auto kParams<sched::TransferParams> = std::tuple{
    Param<&sched::TransferParams::strategy>{{},
        "The way in which savings move between cells: not at all, one transfer per class, or to "
        "all in need.",
        "CS 736 slides, transfer strategies"},
    Param<&sched::TransferParams::amount>{
        {1, 10'000'000, Scale::log}, "Tickets per transfer at most.", "CS 736 slides, b"},
    Param<&sched::TransferParams::use_high>{
        {0.0, 10.0}, "From this usage, in shares, a class needs tickets badly in a cell."},
    Param<&sched::TransferParams::use_low>{
        {0.0, 10.0}, "Up to this usage, in shares, a class can spare its savings in a cell."},
    Param<&sched::TransferParams::givers_max>{
        {1, 64}, "detailed: cells that give to the same class in the same cell in one period."},
};

void append_entries(sched::TransferParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
