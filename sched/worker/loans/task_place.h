// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/inputs/input_rates.h"
#include "sched/message.h"

// A reservation of tasks with inputs in places stands for those with their input here, as long as
// there are any, or else for others. Its demand is that of the tasks for which it stands.
namespace dunlin::sched {

/// True if it stands for tasks with their input at the node that has the reservation.
inline bool is_for_inputs_here(const Reserve& reserve) {
  return !reserve.inputs.empty() && reserve.inputs.front().left > 0;
}
/// True if it stands for tasks with their input elsewhere.
inline bool is_for_inputs_elsewhere(const Reserve& reserve) {
  return !reserve.inputs.empty() && reserve.inputs.front().left == 0;
}

/// Makes its demand that of the tasks for which it stands.
inline void settle_place(Reserve& reserve) {
  if (reserve.inputs.empty()) return;
  const InputTerms& terms = reserve.inputs.front();
  reserve.demand =
      terms.left > 0 ? at_input(reserve.demand, terms) : away_from_input(reserve.demand, terms);
}

/// Its home says how many tasks have their input here by now.
inline void learn_place(Reserve& reserve, const std::vector<InputTerms>& told) {
  if (reserve.inputs.empty() || told.empty()) return;
  reserve.inputs = told;
  settle_place(reserve);
}

/// The reservation as it comes to another node, which says itself what is there.
inline Reserve leaving(Reserve reserve) {
  if (reserve.inputs.empty()) return reserve;
  reserve.inputs.front().left = 0;
  settle_place(reserve);
  return reserve;
}

/// What a task takes here that answers `reserve`.
inline Resources demand_of(const Reserve& reserve, const Assignment& task) {
  if (reserve.inputs.empty()) return reserve.demand;
  const InputTerms& terms = reserve.inputs.front();
  return task.remote ? away_from_input(reserve.demand, terms) : at_input(reserve.demand, terms);
}

}  // namespace dunlin::sched
