// SPDX-License-Identifier: MIT
#include "sched/frontend/inputs/loan_misses.h"

#include <algorithm>
#include <chrono>

// A node that finds no loan asks for tasks of the group no more for a while, but in a large cluster
// there is always another one. Each has the task for some milliseconds, the node with the input
// hears of it in none of them, and the task would run nowhere for ever: its input may need more
// network than that node has at all. So the task itself stays, too, in the end for longer than a
// reservation takes to come to that node.
namespace dunlin::sched {
namespace {

/// How long a task stays at first, and at most. The first is for a holder that is busy: other nodes
/// have their turn soon.
constexpr Duration kStayMin = std::chrono::milliseconds(250);
constexpr Duration kStayMax = std::chrono::seconds(8);

}  // namespace

void LoanMisses::add(std::uint32_t task, Time now) {
  Miss& miss = misses_[task];
  miss.stay = std::clamp(miss.stay * 2, kStayMin, kStayMax);
  miss.until = now + miss.stay;
}

bool LoanMisses::stays(std::uint32_t task, Time now) const {
  const auto miss = misses_.find(task);
  return miss != misses_.end() && now < miss->second.until;
}

bool LoanMisses::is_stuck(std::uint32_t task) const {
  const auto miss = misses_.find(task);
  return miss != misses_.end() && miss->second.stay == kStayMax;
}

}  // namespace dunlin::sched
