// SPDX-License-Identifier: MIT
#include "sim/measure/job_records.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "overlay/ensure.h"

namespace dunlin::sim {

// Two indices lead to a record, without a search: each event of a task asks for one.
JobRecord& JobRecords::add(const sched::JobId& id) {
  const std::size_t home = id.home.value - 1;
  if (home >= homes_.size()) homes_.resize(home + 1);
  auto& lives = homes_[home];
  if (lives.empty() || lives.back().lineage != id.lineage) {
    lives.push_back({.lineage = id.lineage, .jobs = {}});
  }
  auto& jobs = lives.back().jobs;
  if (id.number > jobs.size()) jobs.resize(id.number);
  JobRecord& record = jobs[id.number - 1];
  overlay::ensure(record.id.number == 0, "a job accepted under the name of another one");
  record.id = id;
  ++count_;
  return record;
}

const JobRecord* JobRecords::find(const sched::JobId& id) const {
  const std::size_t home = id.home.value - 1;
  if (home >= homes_.size() || id.number == 0) return nullptr;
  // Backwards: most events are about jobs of the last life.
  for (const Life& life : std::views::reverse(homes_[home])) {
    if (life.lineage != id.lineage) continue;
    const bool known = id.number <= life.jobs.size() && life.jobs[id.number - 1].id.number != 0;
    return known ? &life.jobs[id.number - 1] : nullptr;
  }
  return nullptr;
}

JobRecord* JobRecords::find(const sched::JobId& id) {
  return const_cast<JobRecord*>(std::as_const(*this).find(id));
}

void JobRecords::for_each(const std::function<void(const JobRecord&)>& visit) const {
  for (const auto& lives : homes_) {
    for (const Life& life : lives) {
      for (const JobRecord& job : life.jobs) {
        if (job.id.number != 0) visit(job);
      }
    }
  }
}

}  // namespace dunlin::sim
