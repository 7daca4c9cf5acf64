// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "overlay/rng.h"
#include "overlay/shared.h"
#include "sched/node_spec.h"
#include "sim/scenario/fleet.h"

namespace dunlin::sim {

/// Descriptions of machines. Machines of one make are alike, and share one description.
class Makes {
 public:
  /// `life` counts those of the peer, from 1. Its disk for copies of logs does not outlive it, so
  /// in each life it is another one; peers of one make mix their ids in. Each is a machine of its
  /// own.
  const overlay::Shared<sched::NodeSpec>& of(const Machine& machine, std::uint32_t life) {
    const std::string key = make_key(machine) + " " + std::to_string(life);
    if (const auto known = specs_.find(key); known != specs_.end()) return known->second;
    sched::NodeSpec spec;
    spec.name = "simulated";
    spec.total = machine.total;
    spec.attributes = machine.attributes;
    spec.replica = overlay::Rng{life}() | 1;
    return specs_.emplace(key, spec).first->second;
  }

 private:
  std::unordered_map<std::string, overlay::Shared<sched::NodeSpec>> specs_;  ///< By make_key().
};

}  // namespace dunlin::sim
