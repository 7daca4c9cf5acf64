// SPDX-License-Identifier: MIT
#include "sched/task.h"

namespace dunlin::sched {

// Shells have used these numbers for decades, so scripts around `dunlin run` work unchanged.
int shell_status(Outcome outcome, std::int32_t status) {
  switch (outcome) {
    case Outcome::exited:
      return status;
    case Outcome::signalled:
      return 128 + status;
    case Outcome::time_limit:
      return 124;
    case Outcome::out_of_memory:
      return 137;
    case Outcome::not_found:
      return 127;
    case Outcome::not_executable:
      return 126;
    case Outcome::spawn_failed:
    case Outcome::lost:
      return 125;
    case Outcome::killed:
    case Outcome::preempted:
      return 143;
  }
  return 1;
}

}  // namespace dunlin::sched
