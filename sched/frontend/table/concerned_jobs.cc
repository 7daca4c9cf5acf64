// SPDX-License-Identifier: MIT
#include "sched/frontend/table/concerned_jobs.h"

#include <cstdint>
#include <set>

namespace dunlin::sched {

const JobIndexes& ConcernedJobs::indexes() {
  table_.note_changes();
  return table_.indexes();
}

std::vector<JobState*> ConcernedJobs::bound() {
  return table_.give_out(indexes().needs().bound());
}

std::vector<JobState*> ConcernedJobs::free() {
  return table_.give_out(indexes().needs().free());
}

std::vector<JobState*> ConcernedJobs::rested(Time now) {
  return table_.give_out(indexes().needs().rested(now));
}

std::vector<JobState*> ConcernedJobs::begun(Time now) {
  return table_.give_out(indexes().needs().begun(now));
}

std::vector<JobState*> ConcernedJobs::due(Time after, Time until) {
  return table_.give_out(indexes().needs().due(after, until));
}

std::vector<JobState*> ConcernedJobs::waiting_for(const JobId& awaited) {
  std::set<std::uint32_t> numbers;
  for (const Dependants::Wait& wait : indexes().dependants().of(awaited)) numbers.insert(wait.job);
  return table_.give_out(numbers);
}

}  // namespace dunlin::sched
