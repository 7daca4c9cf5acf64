// SPDX-License-Identifier: MIT
#include "sched/frontend/table/job_indexes.h"

namespace dunlin::sched {

void JobIndexes::update(const JobState& job) {
  needs_.update(job);
  holdings_.update(job);
  dependants_.update(job);
  end_commands_.update(job);
  standbys_.update(job);
}

// The others know nothing of a job that has finished.
void JobIndexes::forget(std::uint32_t number) {
  end_commands_.forget(number);
  standbys_.forget(number);
}

}  // namespace dunlin::sched
