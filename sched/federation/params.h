// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched::federation {

/// Which of the nodes that fit a match takes.
enum class Pick : std::uint8_t {
  first,   ///< The first one, in the order in which they came.
  random,  ///< Any: masters that match at once seldom take the same one.
  best,    ///< The one that has the least left over: large tasks keep their room.
};

/// In which order the partitions of other global masters are searched for room to borrow.
enum class External : std::uint8_t {
  turns,  ///< They take turns, as internal ones do.
  room,   ///< They are drawn by the CPU that they seem to have free, so masters seldom collide.
};

/// What verifies a launch, and has the tasks start.
enum class Validate : std::uint8_t {
  master,  ///< The local master, which sends them on.
  worker,  ///< The member that was chosen. Only what it cannot start goes to its local master.
};

/// The parameters of federated placement, for global and local masters alike.
struct FederationParams {
  Duration heartbeat = std::chrono::seconds(10);
  Duration lease = std::chrono::seconds(30);
  Duration stale_max = std::chrono::seconds(30);
  std::uint16_t masters_max = 64;
  Duration launch_timeout = std::chrono::milliseconds(250);
  std::uint8_t launch_tries = 4;
  std::uint8_t batch = 64;
  Pick pick = Pick::random;
  External external = External::room;
  Duration news_within = std::chrono::milliseconds(5);
  bool repair = true;
  bool park = true;
  std::uint8_t park_ratio = 2;
  Validate validate = Validate::master;
  bool standby = false;
};

}  // namespace dunlin::sched::federation

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::federation::Pick>[] = {"first", "random", "best"};
template <>
inline constexpr std::string_view kWords<sched::federation::External>[] = {"turns", "room"};
template <>
inline constexpr std::string_view kWords<sched::federation::Validate>[] = {"master", "worker"};
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
static_assert(complete<sched::federation::FederationParams>());
}  // namespace dunlin::overlay
