// SPDX-License-Identifier: MIT
#include "sched/cell/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::CellParams> = "cell";
template <>
inline constexpr auto kParams<sched::CellParams> = std::tuple{
    Param<&sched::CellParams::sharing>{{},
        "The rule that sets the tickets of classes, once there are some: none (no cells at all), "
        "bank accounts, or cluster reserves.",
        "CS 736 slides, approaches 1 and 2"},
    Param<&sched::CellParams::form>{{},
        "When nodes form cells: auto, once classes, replicas of jobs or plans need them; or "
        "always. "
        "Never if sharing is none."},
    Param<&sched::CellParams::cell_size>{{2, 8192}, "Nodes in a cell at most."},
    Param<&sched::CellParams::fan_out>{{2, 64}, "Cells under a manager of managers at most."},
    Param<&sched::CellParams::voters>{{1, 7}, "Nodes that keep a cell's books; an odd number."},
    Param<&sched::CellParams::root_voters>{
        {1, 7}, "Nodes that keep the books of the manager of managers above all."},
    Param<&sched::CellParams::period>{
        {std::chrono::milliseconds(100), std::chrono::minutes(5), Scale::log},
        "Time between two reports of a member, and between two allocations of a manager."},
    Param<&sched::CellParams::lease>{
        {std::chrono::milliseconds(500), std::chrono::minutes(30), Scale::log},
        "A member not heard of for so long is evicted; several times period."},
    Param<&sched::CellParams::grant_life>{
        {std::chrono::milliseconds(500), std::chrono::minutes(30), Scale::log},
        "Grants hold for this time if no newer ones come; several times period."},
    Param<&sched::CellParams::margin>{
        {std::chrono::milliseconds(10), std::chrono::minutes(1), Scale::log},
        "After the term, until the books call grants over: twice the drift of clocks in a term."},
    Param<&sched::CellParams::retry>{
        {std::chrono::milliseconds(50), std::chrono::minutes(1), Scale::log},
        "A question without an answer is asked again after this time."},
    Param<&sched::CellParams::patience>{
        {std::chrono::milliseconds(100), std::chrono::minutes(10), Scale::log},
        "A node that finds no cell with room for one to two times so long establishes one."},
    Param<&sched::CellParams::cell_min>{{0.0, 1.0},
        "A cell below this share of cell_size dissolves, if there is room for its members."},
    Param<&sched::CellParams::merge_rounds>{
        {1, 1000, Scale::log}, "Periods in a row that a cell must be too small to dissolve."},
    Param<&sched::CellParams::voter_lost>{
        {std::chrono::seconds(1), std::chrono::hours(24), Scale::log},
        "A voter not heard of for so long is replaced; longer than a restart takes."},
    Param<&sched::CellParams::voter_margin>{
        {1, 64}, "A node must score so much more than a voter to take its place."},
    Param<&sched::CellParams::voter_rounds>{
        {1, 1000, Scale::log}, "... for so many periods in a row."},
    Param<&sched::CellParams::hint_life>{
        {std::chrono::seconds(1), std::chrono::hours(1), Scale::log},
        "A hint of a cell is forgotten if gossip brings no newer one for this time."},
    Param<&sched::CellParams::gossip>{
        {std::chrono::milliseconds(50), std::chrono::minutes(5), Scale::log},
        "Time between two exchanges with a neighbour of what is known of cells and classes."},
};

void append_entries(sched::CellParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
