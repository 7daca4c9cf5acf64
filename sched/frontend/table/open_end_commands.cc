// SPDX-License-Identifier: MIT
#include "sched/frontend/table/open_end_commands.h"

namespace dunlin::sched {

void OpenEndCommands::update(const JobState& job) {
  if (job.job().end_command.empty()) return;  // It never has one: that is said at its submit.
  const bool is_open = job.finished() && job.progress().end_command.run != EndRun::ended;
  if (is_open) {
    numbers_.insert(job.id().number);
  } else {
    numbers_.erase(job.id().number);
  }
}

}  // namespace dunlin::sched
