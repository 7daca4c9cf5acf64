// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <unordered_map>

#include "overlay/shared.h"
#include "sched/node_spec.h"
#include "sim/scenario/fleet.h"

namespace dunlin::sim {

/// Descriptions of machines. Machines of one make are alike, and share one description.
class Makes {
 public:
  const overlay::Shared<sched::NodeSpec>& of(const Machine& machine) {
    const std::string key = make_key(machine);
    if (const auto known = specs_.find(key); known != specs_.end()) return known->second;
    sched::NodeSpec spec;
    spec.name = "simulated";
    spec.total = machine.total;
    spec.attributes = machine.attributes;
    return specs_.emplace(key, spec).first->second;
  }

 private:
  std::unordered_map<std::string, overlay::Shared<sched::NodeSpec>> specs_;  ///< By make_key().
};

}  // namespace dunlin::sim
