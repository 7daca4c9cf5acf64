// SPDX-License-Identifier: MIT
#include "sched/raft/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::RaftParams> = "raft";
template <>
inline constexpr auto kParams<sched::RaftParams> = std::tuple{
    Param<&sched::RaftParams::election_timeout>{
        {std::chrono::milliseconds(50), std::chrono::minutes(1), Scale::log},
        "A follower that hears nothing from its leader for one to two times so long asks for an "
        "election; a leader that hears nothing from most voters for so long steps down.",
        "Ongaro 2014, section 3.4 and 6.2"},
    Param<&sched::RaftParams::heartbeat>{
        {std::chrono::milliseconds(5), std::chrono::seconds(10), Scale::log},
        "Time between two messages from an idle leader to a follower; below election_timeout.",
        "Ongaro 2014, section 3.4"},
    Param<&sched::RaftParams::snapshot_timeout>{
        {std::chrono::milliseconds(100), std::chrono::minutes(5), Scale::log},
        "A snapshot that a follower has not acknowledged for so long is sent again."},
    Param<&sched::RaftParams::catch_up_timeout>{
        {std::chrono::milliseconds(100), std::chrono::minutes(5), Scale::log},
        "A member that takes so long for one round of catching up does not become a voter.",
        "Ongaro 2014, section 4.2.1"},
    Param<&sched::RaftParams::snapshot_threshold>{{1, 1 << 20, Scale::log},
        "Entries applied since the last snapshot that are worth a new one."},
    Param<&sched::RaftParams::snapshot_trailing>{{1, 1 << 20, Scale::log},
        "Entries kept behind a snapshot, for followers that lag a little."},
    Param<&sched::RaftParams::proposals_max>{
        {1, 32768, Scale::log}, "Commands that may wait for a majority at once."},
};

void append_entries(sched::RaftParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
