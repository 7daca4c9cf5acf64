// SPDX-License-Identifier: MIT
#include "sim/workload/synthetic.h"

#include <algorithm>
#include <cmath>

#include "overlay/ensure.h"

namespace dunlin::sim {

sched::Resources demand_of(const WorkloadParams& params) {
  return {.cpu = static_cast<std::uint32_t>(std::lround(params.task_cpu * 1000)),
      .memory = params.task_memory,
      .custom = {}};
}

SyntheticWorkload::SyntheticWorkload(const WorkloadParams& params,
    std::uint32_t peers,
    const sched::Resources& capacity,
    Time end,
    Rng rng)
    : params_(params),
      peers_(peers),
      demand_(demand_of(params)),
      slots_(std::uint64_t{peers} * sched::how_many_fit(demand_, capacity, 1 << 20)),
      at_(Time{params.first_job}),
      end_(end),
      rng_(rng) {
  ensure(slots_ > 0, "no task fits a peer");
  const double work = static_cast<double>(params.task_time.count()) * params.tasks_per_job;
  mean_gap_ = Duration{std::llround(work / (params.load * static_cast<double>(slots_)))};
}

std::optional<Submission> SyntheticWorkload::next() {
  at_ += rng_.exponential(mean_gap_);
  if (at_ >= end_) return std::nullopt;
  Submission submission{.at = at_, .frontend = rng_.below(peers_), .job = {}};
  sched::TaskGroup& group = submission.job.groups.emplace_back();
  group.count = params_.tasks_per_job;
  group.demand = demand_;

  const auto draw = [this] { return std::max(Duration{1}, rng_.exponential(params_.task_time)); };
  if (params_.durations == Durations::per_task) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const Duration duration = draw();
      submission.longest = std::max(submission.longest, duration);
      group.entries.push_back(duration_bytes(duration));
    }
  } else {
    submission.longest = params_.durations == Durations::constant ? params_.task_time : draw();
    group.spec = duration_bytes(submission.longest);
  }
  return submission;
}

}  // namespace dunlin::sim
