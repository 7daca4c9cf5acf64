// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/frontend/after/dependants.h"
#include "sched/frontend/job_needs.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/table/open_end_commands.h"
#include "sched/frontend/table/standby_counts.h"
#include "sched/frontend/user_holdings.h"

namespace dunlin::sched {

/// What is known of the jobs of a table without a walk over them, by what update() found last.
class JobIndexes {
 public:
  /// The job has changed, or may have.
  void update(const JobState& job);
  /// The job, which had finished, is forgotten.
  void forget(std::uint32_t number);

  /// What the jobs need.
  const JobNeeds& needs() const { return needs_; }
  /// What the jobs of each user hold.
  const UserHoldings& holdings() const { return holdings_; }
  /// Which jobs wait for which.
  const Dependants& dependants() const { return dependants_; }
  /// Which jobs have ended, but not their commands for that.
  const OpenEndCommands& end_commands() const { return end_commands_; }
  /// How many standbys the jobs want and require.
  const StandbyCounts& standbys() const { return standbys_; }
  /// What came to be awaited, or ceased to be, since the last call: see Dependants::take_news().
  std::vector<JobId> take_awaited_news() { return dependants_.take_news(); }

 private:
  JobNeeds needs_;
  UserHoldings holdings_;
  Dependants dependants_;
  OpenEndCommands end_commands_;
  StandbyCounts standbys_;
};

}  // namespace dunlin::sched
