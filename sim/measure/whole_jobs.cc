// SPDX-License-Identifier: MIT
#include "sim/measure/whole_jobs.h"

#include <algorithm>

#include "overlay/ensure.h"
#include "sim/measure/recorder.h"

namespace dunlin::sim {

void WholeJobs::on_arrival(Time arrived, const JobFacts& facts, std::uint32_t tasks) {
  WholeJob& job = jobs_.try_emplace(facts.whole, WholeJob{.key = facts.whole, .submitted = arrived})
                      .first->second;
  // Stages are told in the order of the records, not of their arrivals.
  job.submitted = std::min(job.submitted, arrived);
  job.stages = facts.stages;
  job.tasks = facts.whole_tasks > 0 ? facts.whole_tasks : tasks;
}

void WholeJobs::on_finish(std::uint64_t key, Time ended) {
  const auto job = jobs_.find(key);
  if (job == jobs_.end()) return;
  ++job->second.done;
  job->second.ended = std::max(job->second.ended, ended);
}

std::vector<WholeJob> WholeJobs::finished() const {
  std::vector<WholeJob> done;
  for (const auto& [key, job] : jobs_) {
    if (job.finished()) done.push_back(job);
  }
  return done;
}

WholeJobs::Makespan WholeJobs::makespan(Time now) const {
  overlay::ensure(!jobs_.empty(), "the makespan of no job");
  Time first = Time::max();
  Time last{};
  bool all = true;
  for (const auto& [key, job] : jobs_) {
    first = std::min(first, job.submitted);
    last = std::max(last, job.ended);
    all = all && job.finished();
  }
  if (!all) last = std::max(last, now);
  return {.time = last - first, .at_least = !all};
}

WholeJobs whole_jobs_of(const Recorder& recorder) {
  WholeJobs jobs;
  // A stage that was refused never finishes: without it the job would seem to have ended.
  for (const auto& [arrived, facts] : recorder.refused_wholes()) {
    if (recorder.window().contains(arrived)) jobs.on_arrival(arrived, facts, 0);
  }
  recorder.for_each_job([&](const JobRecord& record) {
    // Jobs of workloads that have no whole jobs.
    if (record.facts.whole == 0) return;
    jobs.on_arrival(record.arrived, record.facts, record.tasks);
    if (record.finished) jobs.on_finish(record.facts.whole, record.last_end);
  });
  return jobs;
}

}  // namespace dunlin::sim
