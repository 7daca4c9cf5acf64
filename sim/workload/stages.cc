// SPDX-License-Identifier: MIT
#include "sim/workload/stages.h"

#include <algorithm>
#include <utility>

namespace dunlin::sim {
namespace {

/// Groups of a job have keys of their own below this.
constexpr std::uint64_t kStagesMax = 1024;
static_assert(kStagesMax > sched::kJobGroupsMax);

std::uint64_t key_of(std::uint64_t whole, std::size_t stage) {
  return whole * kStagesMax + stage + 1;
}

}  // namespace

bool has_stages(const sched::Job& job) {
  return std::ranges::any_of(
      job.groups, [](const sched::TaskGroup& group) { return !group.after.empty(); });
}

std::vector<Submission> split_stages(Submission submission) {
  std::vector<Submission> stages;
  if (!has_stages(submission.job)) {
    stages.push_back(std::move(submission));
    return stages;
  }
  submission.facts.whole_tasks = submission.job.task_count();
  const std::vector<sched::TaskGroup> groups = std::exchange(submission.job.groups, {});
  submission.facts.stages = static_cast<std::uint32_t>(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Submission& stage = stages.emplace_back(submission);
    stage.job.groups = {groups[i]};
    // The order is in `parents` from now on: a group of its own waits for no other group.
    stage.job.groups.front().after.clear();
    stage.facts.key = key_of(submission.facts.key, i);
    Duration sum{0};
    stage.facts.longest = Duration{0};
    for (std::uint32_t task = 0; task < groups[i].count; ++task) {
      const Duration duration = duration_of(groups[i], task);
      stage.facts.longest = std::max(stage.facts.longest, duration);
      sum += duration;
    }
    stage.facts.mean = sum / groups[i].count;
    for (const std::uint16_t parent : groups[i].after) {
      stage.parents.push_back(key_of(submission.facts.key, parent));
    }
  }
  return stages;
}

}  // namespace dunlin::sim
