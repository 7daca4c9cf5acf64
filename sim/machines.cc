// SPDX-License-Identifier: MIT
#include "sim/machines.h"

#include <algorithm>
#include <cmath>

#include "overlay/rng.h"

namespace dunlin::sim {
namespace {

/// Machines of one make: what each has, relative to the largest, and how many there are.
struct MachineClass {
  double cpu;
  double memory;
  std::uint32_t count;
};

// The cluster of Google's trace of 2011: 12,583 machines. Source: Reiss 2012, table 1; data CC-BY.
constexpr MachineClass kGoogle2011[] = {
    {0.5, 0.4995, 6732},
    {0.5, 0.2493, 3863},
    {0.5, 0.749, 1001},
    {1, 1, 795},
    {0.25, 0.2498, 126},
    {0.5, 0.1241, 52},
    {0.5, 0.03085, 5},
    {0.5, 0.9678, 5},
    {1, 0.5, 3},
    {0.5, 0.06158, 1},
};

const MachineClass& draw_class(overlay::Rng& rng) {
  std::uint32_t all = 0;
  for (const MachineClass& each : kGoogle2011) all += each.count;
  std::uint32_t lot = rng.below(all);
  const MachineClass* drawn = std::begin(kGoogle2011);
  while (lot >= drawn->count) lot -= drawn++->count;
  return *drawn;
}

sched::Resources share_of(const sched::Resources& whole, const MachineClass& make) {
  const auto part = [](std::uint32_t amount, double share) {
    return std::max(1u, static_cast<std::uint32_t>(std::lround(amount * share)));
  };
  return {
      .cpu = part(whole.cpu, make.cpu), .memory = part(whole.memory, make.memory), .custom = {}};
}

}  // namespace

sched::Resources largest_machine(const ClusterParams& params) {
  return {.cpu = static_cast<std::uint32_t>(std::lround(params.cpus * 1000)),
      .memory = params.memory,
      .custom = {}};
}

std::vector<sched::Resources> capacities_of(const ClusterParams& params, std::uint64_t seed) {
  const sched::Resources largest = largest_machine(params);
  std::vector<sched::Resources> capacities;
  overlay::Rng rng{~seed};
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    const bool equal = params.machines == Machines::equal;
    capacities.push_back(equal ? largest : share_of(largest, draw_class(rng)));
  }
  return capacities;
}

}  // namespace dunlin::sim
