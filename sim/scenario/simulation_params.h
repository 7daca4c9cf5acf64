// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"
#include "sim/scenario/machine_attributes.h"

namespace dunlin::sim {

using overlay::Duration;

/// When jobs arrive, when they are measured, and how long the run waits for their ends.
struct SimulationParams {
  std::uint64_t seed = 1;
  std::uint64_t run = 1;
  Duration duration = std::chrono::seconds(60);
  Duration warm_up = std::chrono::seconds(10);
  Duration drain = std::chrono::seconds(30);
};

/// The sizes of machines.
/// The size of each machine: all alike, or drawn from the makes of Google's trace of 2011.
enum class Machines : std::uint8_t { equal, google2011 };

/// The way in which peers first get to know each other.
enum class Start : std::uint8_t {
  join,    ///< Peers join at contacts, as agents do.
  wired,   ///< They know a random view of others from the start, and have no contacts.
  celled,  ///< The same, and cells stand from the start.
};

/// The machines, and how the peers on them begin. The table in simulation_params.cc has each.
struct ClusterParams {
  Start start = Start::join;
  std::uint32_t peers = 1000;
  std::uint32_t scale = 1;
  Machines machines = Machines::equal;
  ConstraintProfile constraints = ConstraintProfile::none;
  double cpus = 4;
  std::uint32_t memory = 16384;
  std::string speeds;
  std::uint16_t contacts = 2;
  std::uint32_t cells = 1;
  Duration join_within = std::chrono::seconds(1);
  double disk_read = 0;
  double disk_write = 0;
  double net_in = 0;
  double net_out = 0;
  double contention_loss = 0.3;
  double background_share = 0;
  double background_machines = 0.5;
  Duration background_from{0};
  Duration background_until = std::chrono::hours(1);
};

}  // namespace dunlin::sim

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kWords<sim::Machines>[] = {"equal", "google2011"};
template <>
inline constexpr std::string_view kWords<sim::ConstraintProfile>[] = {"none", "a", "b", "c"};
template <>
inline constexpr std::string_view kWords<sim::Start>[] = {"join", "wired", "celled"};

/// See overlay/params.h.
void append_entries(sim::SimulationParams& params, std::vector<ParamEntry>& entries);
void append_entries(sim::ClusterParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
