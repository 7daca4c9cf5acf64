// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

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

/// See overlay/params.h.
void append_entries(sched::federation::FederationParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
