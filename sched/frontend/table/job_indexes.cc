// SPDX-License-Identifier: MIT
#include "sched/frontend/table/job_indexes.h"

namespace dunlin::sched {

void JobIndexes::update(const JobState& job) {
  needs_.update(job);
  holdings_.update(job);
  dependants_.update(job);
  end_commands_.update(job);
}

}  // namespace dunlin::sched
