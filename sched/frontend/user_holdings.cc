// SPDX-License-Identifier: MIT
#include "sched/frontend/user_holdings.h"

namespace dunlin::sched {

std::uint64_t bytes_of(const Job& job) {
  std::uint64_t bytes = job.name.size() + job.end_command.size() + job.comment.size();
  for (const Label& label : job.labels) {
    bytes += sizeof label + label.key.size() + label.value.size();
  }
  for (const TaskGroup& group : job.groups) {
    bytes += sizeof group + group.name.size() + group.spec.size();
    bytes += group.entries.text.size() + group.entries.ends.size() * sizeof(std::uint32_t);
    bytes += group.constraints.size() * sizeof(Constraint) + group.after.size() * 2;
    bytes += group.inputs.nodes.size() * sizeof(InputNode) +
        group.inputs.sets.size() * sizeof(GroupInputs::Set) +
        group.inputs.tasks.size() * sizeof(PlacedInput);
  }
  return bytes + job.after_jobs.size() * sizeof(AfterJob);
}

void UserHoldings::update(const JobState& job) {
  const auto known = jobs_.find(job.id().number);
  if (job.finished()) {
    if (known != jobs_.end()) remove(known);
    return;
  }
  const JobState::Counts& counts = job.counts();
  const std::uint64_t tasks = std::uint64_t{counts[TaskState::waiting]} +
      counts[TaskState::launched] + counts[TaskState::cancelling];
  if (known != jobs_.end() && known->second.user == job.job().owner) {
    UserHolding& all = users_.at(known->second.user);
    all.tasks = all.tasks - known->second.holding.tasks + tasks;
    known->second.holding.tasks = tasks;
    return;
  }
  if (known != jobs_.end()) remove(known);
  const UserHolding holding{.jobs = 1, .tasks = tasks, .bytes = bytes_of(job.job())};
  jobs_[job.id().number] = {.user = job.job().owner, .holding = holding};
  add(job.job().owner, holding);
}

UserHolding UserHoldings::of(const std::string& user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? UserHolding{} : found->second;
}

void UserHoldings::add(const std::string& user, const UserHolding& holding) {
  UserHolding& all = users_[user];
  all.jobs += holding.jobs;
  all.tasks += holding.tasks;
  all.bytes += holding.bytes;
}

void UserHoldings::remove(std::map<std::uint32_t, Held>::iterator job) {
  const auto [user, holding] = job->second;
  jobs_.erase(job);
  UserHolding& all = users_.at(user);
  all.jobs -= holding.jobs;
  all.tasks -= holding.tasks;
  all.bytes -= holding.bytes;
  if (all.jobs == 0) users_.erase(user);
}

}  // namespace dunlin::sched
