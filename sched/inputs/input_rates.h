// SPDX-License-Identifier: MIT
#pragma once

#include "sched/job.h"
#include "sched/message.h"
#include "sched/resources.h"

// A task reads its input from the disk of a node that has it, or over the network elsewhere. So in
// a group with inputs in places, the demands of disk read and of network in are two ways to say
// one thing: the rates at which a task reads its input. Which of them it takes follows from where
// it runs. If a user demands one of them, the other is the same; if none, the input costs nothing.
namespace dunlin::sched {

/// Takes the rates of the inputs out of what the user demanded, and makes `demand` that of a task
/// with its input elsewhere. Nothing if no input of the group has a place. To be done once.
inline void settle_input_rates(TaskGroup& group) {
  if (group.inputs.empty()) return;
  Resources& demand = group.demand;
  const std::uint32_t read = demand.disk_read;
  const std::uint32_t in = demand.net_in;
  group.inputs.disk_read = read != 0 ? read : in;
  group.inputs.net_in = in != 0 ? in : read;
  demand.disk_read = 0;
  demand.net_in = group.inputs.net_in;
}

/// The terms of a group of which so many tasks, with their input at the receiver, may be handed
/// out.
inline InputTerms input_terms(const GroupInputs& inputs, std::uint32_t left) {
  return {.disk_read = inputs.disk_read, .net_in = inputs.net_in, .left = left};
}

/// What a task takes where its input is, or elsewhere, if it takes `demand` in either place.
inline Resources at_input(Resources demand, const InputTerms& terms) {
  demand.disk_read = terms.disk_read;
  demand.net_in = 0;
  return demand;
}
inline Resources away_from_input(Resources demand, const InputTerms& terms) {
  demand.disk_read = 0;
  demand.net_in = terms.net_in;
  return demand;
}

/// What a task elsewhere takes of a node that has its input.
inline Resources borrowed_for_input(const InputTerms& terms) {
  Resources loan;
  loan.disk_read = terms.net_in;
  loan.net_out = terms.net_in;
  return loan;
}

}  // namespace dunlin::sched
