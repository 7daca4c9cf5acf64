// SPDX-License-Identifier: MIT
#include "sim/workload/class_workload.h"

#include <algorithm>

// To see if classes get their shares, every class must want more than its share at every moment; a
// demand by chance would measure the demand. So each class keeps a fixed number of jobs at each
// frontend, a *chain*: when one ends, the next follows at once. Queues stay bounded, however slow
// the cluster is.
namespace dunlin::sim {

ClassWorkload::ClassWorkload(const WorkloadParams& params,
    std::vector<WorkloadClass> classes,
    std::uint32_t backlog,
    std::uint32_t peers,
    Time end,
    Rng rng)
    : params_(params),
      classes_(std::move(classes)),
      backlog_(backlog),
      peers_(peers),
      end_(end),
      rng_(rng) {}

// All jobs of a chain have its key: its number + 1, since 0 is none.
Submission ClassWorkload::draw(Time at, std::uint64_t key) {
  const std::uint64_t chain = key - 1;
  const WorkloadClass& each = classes_[chain / backlog_ % classes_.size()];
  Submission submission{.at = at, .facts = {.key = key}};
  submission.frontend = static_cast<std::uint32_t>(chain / chains_per_peer());
  submission.job.service_class = each.name;
  submission.facts.class_id = each.id;
  sched::TaskGroup& group = submission.job.groups.emplace_back();
  group.count = params_.tasks_per_job;
  group.demand = demand_of(params_);
  Duration sum{0};
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const Duration drawn = params_.durations == Durations::constant
        ? params_.task_time
        : std::max(Duration{1}, rng_.exponential(params_.task_time));
    submission.facts.longest = std::max(submission.facts.longest, drawn);
    sum += drawn;
    group.entries.push_back(duration_bytes(drawn));
  }
  submission.facts.mean = sum / group.count;
  return submission;
}

// Chains begin evenly within the time of a task, so that their jobs do not all end at once. A chain
// that pauses at first waits in begins(), because jobs are handed out in the order of time.
std::optional<Submission> ClassWorkload::next() {
  const std::uint64_t chains = chains_per_peer() * peers_;
  if (begun_ == chains) return std::nullopt;
  const double part = static_cast<double>(begun_) / static_cast<double>(chains);
  const Duration lag{
      static_cast<Duration::rep>(part * static_cast<double>(params_.task_time.count()))};
  return draw(Time{params_.first_job + lag}, ++begun_);
}

Time ClassWorkload::begins(const Submission& submission) const {
  const auto each = std::ranges::find(classes_, submission.facts.class_id, &WorkloadClass::id);
  return each == classes_.end() ? submission.at : each->wants_from(submission.at);
}

std::optional<Submission> ClassWorkload::after(std::uint64_t key, Time now) {
  if (key == 0 || key > begun_) return std::nullopt;
  const WorkloadClass& each = classes_[(key - 1) / backlog_ % classes_.size()];
  const Time at = each.wants_from(now);
  // What runs after the end of the window only drains.
  if (at >= end_) return std::nullopt;
  return draw(at, key);
}

std::vector<Submission> ClassWorkload::again(std::uint32_t peer, Time now) {
  std::vector<Submission> submissions;
  for (std::uint64_t i = 0; i < chains_per_peer(); ++i) {
    if (auto next = after(peer * chains_per_peer() + i + 1, now)) {
      submissions.push_back(*std::move(next));
    }
  }
  return submissions;
}

}  // namespace dunlin::sim
