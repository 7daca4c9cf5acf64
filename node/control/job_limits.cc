// SPDX-License-Identifier: MIT
#include "node/control/job_limits.h"

#include <algorithm>

#include "node/agent_options.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

struct Held {
  std::uint64_t jobs = 0;
  std::uint64_t tasks = 0;
};

/// The unfinished jobs and tasks that `user` has here.
Held held_by(const AgentServices& agent, const std::string& user) {
  using enum sched::TaskState;
  Held held;
  for (const sched::JobState* job : sched::jobs_of(agent.peer())) {
    if (job->finished() || job->job().owner != user) continue;
    ++held.jobs;
    held.tasks += job->counts()[waiting] + job->counts()[launched] + job->counts()[cancelling];
  }
  return held;
}

/// "alice has 3 unfinished jobs here, and may have agent.jobs_per_user = 3".
tl::unexpected<Error> too_many(const std::string& user,
    std::uint64_t has,
    const char* what,
    const char* key,
    std::uint32_t limit) {
  return failure(ErrorKind::refused,
      user + " has " + std::to_string(has) + " unfinished " + what + " at this agent, and " + key +
          " is " + std::to_string(limit) +
          "; wait for some to end, submit to another node, or ask an administrator");
}

}  // namespace

Result<void> check_priority(
    const AgentServices& agent, const Principal& who, std::int16_t priority) {
  auto priority_max = agent.configuration().agent.priority_max;
  const sched::WorkerParams& worker = agent.configuration().peer.worker;
  if (worker.preempt == sched::PreemptMode::emergency) {
    priority_max = std::min<std::int16_t>(priority_max, worker.emergency_priority - 1);
  }
  if (who.administrator || priority <= priority_max) return {};
  return failure(ErrorKind::refused,
      "priority " + std::to_string(priority) + " is for administrators; others may ask for " +
          std::to_string(priority_max) + " at most (agent.priority_max)");
}

Result<void> check_quota(const AgentServices& agent,
    const Principal& who,
    const std::string& owner,
    std::uint32_t jobs,
    std::uint32_t tasks) {
  if (who.administrator) return {};
  const AgentOptions& limits = agent.configuration().agent;
  if (limits.jobs_per_user == 0 && limits.tasks_per_user == 0) return {};
  const Held held = held_by(agent, owner);
  if (limits.jobs_per_user != 0 && held.jobs + jobs > limits.jobs_per_user) {
    return too_many(owner, held.jobs, "jobs", "agent.jobs_per_user", limits.jobs_per_user);
  }
  if (limits.tasks_per_user != 0 && held.tasks + tasks > limits.tasks_per_user) {
    return too_many(owner, held.tasks, "tasks", "agent.tasks_per_user", limits.tasks_per_user);
  }
  return {};
}

Result<void> check_limits(const AgentServices& agent, const Principal& who, const sched::Job& job) {
  for (const sched::TaskGroup& group : job.groups) {
    if (auto fine = check_priority(agent, who, group.priority); !fine) return fine;
  }
  return check_quota(agent, who, job.owner, 1, job.task_count());
}

}  // namespace dunlin::node
