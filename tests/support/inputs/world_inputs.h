// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "sched/inputs/input_rates.h"
#include "sched/job.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Gives a group inputs at nodes of a World, which are named by their numbers; "unknown" is none.
inline void place_inputs(sched::TaskGroup& group, sched::GroupInputs inputs) {
  for (sched::InputNode& node : inputs.nodes) {
    if (node.name == "unknown") continue;
    node.id = World::id_of(std::stoul(node.name));
    node.address = World::endpoint_of(std::stoul(node.name)).address;
  }
  group.inputs = std::move(inputs);
  settle_input_rates(group);
}

}  // namespace dunlin::test
