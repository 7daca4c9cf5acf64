// SPDX-License-Identifier: MIT
#include "sim/measure/whole_jobs.h"

#include <algorithm>

#include "sim/measure/recorder.h"

namespace dunlin::sim {

void WholeJobs::on_submit(Time now, std::uint64_t key, std::uint32_t tasks) {
  const auto [job, is_new] = jobs_.try_emplace(key, WholeJob{.key = key, .submitted = now});
  job->second.submitted = std::min(job->second.submitted, now);
  job->second.tasks += tasks;
  ++job->second.open;
}

void WholeJobs::on_finish(std::uint64_t key, Time ended) {
  const auto job = jobs_.find(key);
  if (job == jobs_.end()) return;
  --job->second.open;
  job->second.ended = std::max(job->second.ended, ended);
}

std::vector<WholeJob> WholeJobs::finished() const {
  std::vector<WholeJob> done;
  for (const auto& [key, job] : jobs_) {
    if (job.open == 0) done.push_back(job);
  }
  return done;
}

Duration WholeJobs::makespan() const {
  if (jobs_.empty()) return Duration{0};
  Time first = Time::max();
  Time last{};
  for (const auto& [key, job] : jobs_) {
    first = std::min(first, job.submitted);
    last = std::max(last, job.ended);
  }
  return last > first ? last - first : Duration{0};
}

WholeJobs whole_jobs_of(const Recorder& recorder) {
  WholeJobs jobs;
  recorder.for_each_job([&](const JobRecord& record) {
    if (record.facts.whole == 0) return;
    jobs.on_submit(record.submitted, record.facts.whole, record.tasks);
    if (record.finished) jobs.on_finish(record.facts.whole, record.last_end);
  });
  return jobs;
}

}  // namespace dunlin::sim
