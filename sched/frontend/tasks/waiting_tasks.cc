// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/waiting_tasks.h"

#include <algorithm>

// The order has two lists: a counter for tasks never offered, since a job of a million tasks must
// not be a million entries, and a queue for the few to attempt once more. Neither is searched when
// a task stops waiting; pop() finds out when it comes to it.
namespace dunlin::sched {

bool WaitingTasks::holds(std::uint32_t index) const {
  return (index >= next_ && index < end_) || std::ranges::find(again_, index) != again_.end();
}

}  // namespace dunlin::sched
