// SPDX-License-Identifier: MIT
#include "sched/federation/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::federation::FederationParams> = "federation";
template <>
inline constexpr auto kParams<sched::federation::FederationParams> = std::tuple{
    Param<&sched::federation::FederationParams::heartbeat>{
        {std::chrono::milliseconds(100), std::chrono::minutes(5), Scale::log},
        "A global master asks each local master so often what has changed, and a local master its "
        "members: the age that a view has at most where nothing is launched.",
        "Megha, section V-A"},
    Param<&sched::federation::FederationParams::lease>{
        {std::chrono::seconds(1), std::chrono::minutes(15), Scale::log},
        "A global master that a local one did not hear of for so long has no partition there any "
        "more; a member tells its local master nothing once that was silent for so long. Several "
        "heartbeats."},
    Param<&sched::federation::FederationParams::stale_max>{
        {std::chrono::seconds(1), std::chrono::minutes(15), Scale::log},
        "Rows of a local master that was not heard of for so long are not matched."},
    Param<&sched::federation::FederationParams::masters_max>{{1, 1024, Scale::log},
        "Global masters that have a partition at one local master. As many again get its rows, and "
        "no partition; more than that do without it."},
    Param<&sched::federation::FederationParams::launch_timeout>{
        {std::chrono::milliseconds(20), std::chrono::seconds(30), Scale::log},
        "A launch that is not answered for so long is sent again."},
    Param<&sched::federation::FederationParams::launch_tries>{
        {1, 16}, "Times that a launch is sent. Then its tasks are lost, and attempted again."},
    Param<&sched::federation::FederationParams::batch>{
        {1, 64, Scale::log}, "Tasks of one group in one launch, at most."},
    Param<&sched::federation::FederationParams::pick>{
        {}, "Which of the nodes that fit a match takes.", "Megha, section IV-B"},
    Param<&sched::federation::FederationParams::external>{{},
        "The order in which partitions of other global masters are searched, where no own one has "
        "a match: in turns, or drawn by the room that they seem to have.",
        "Megha, section IV-B4: in turns"},
    Param<&sched::federation::FederationParams::news_within>{
        {std::chrono::seconds(0), std::chrono::minutes(5)},
        "A local master tells all global masters of rows that changed within so long. 0: they hear "
        "of them by heartbeats and by answers to launches alone, as in the paper.",
        "Megha, section IV-A, has no such news"},
    Param<&sched::federation::FederationParams::repair>{{},
        "A local master starts a task elsewhere in its cell if the node that was chosen has no "
        "room."},
    Param<&sched::federation::FederationParams::park>{{},
        "What has no match waits at local masters, which offer it room that comes, in the order of "
        "worker.discipline. Otherwise it is left to reservations at once."},
    Param<&sched::federation::FederationParams::park_ratio>{{1, 64, Scale::log},
        "Rooms that local masters may offer together for each task that is parked. Rooms offered "
        "in "
        "vain stay empty for as long as three messages travel."},
    Param<&sched::federation::FederationParams::validate>{{},
        "What verifies a launch: the local master, which sends it on, or the worker that was "
        "chosen, which saves a hop and hands what it cannot start to its local master."},
    Param<&sched::federation::FederationParams::standby>{{},
        "Members send their rows to all nodes that keep the books of their cell, so that the next "
        "local master knows them at once. Otherwise it calls the roll.",
        "Megha, section IV-D"},
};

void append_entries(sched::federation::FederationParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
