// SPDX-License-Identifier: MIT
#include "node/control/job_limits.h"

#include <algorithm>

#include "node/agent_options.h"
#include "sched/peer_view.h"

// Limits that hold for users and not for administrators. They are the agent's own, and count what
// it drives: a user with jobs at several agents has each agent's share, and each error names the
// setting.
namespace dunlin::node {
namespace {

/// "alice has 3 unfinished jobs here, and may have agent.jobs_per_user = 3".
tl::unexpected<Error> too_many(const std::string& user,
    const std::string& has,
    const char* what,
    const char* key,
    const std::string& limit) {
  return failure(ErrorKind::quota,
      user + " has " + has + " unfinished " + what + " at this agent, and " + key + " is " + limit +
          "; wait for some to end, submit to another node, or ask an administrator");
}

}  // namespace

Result<void> check_priority(
    const AgentServices& agent, const Principal& who, std::int16_t priority) {
  auto priority_max = agent.configuration().agent.priority_max;
  const sched::WorkerParams& worker = agent.configuration().peer.worker;
  if (worker.preempt == sched::PreemptMode::emergency) {
    priority_max = std::min(priority_max, static_cast<std::int16_t>(worker.emergency_priority - 1));
  }
  if (who.administrator || priority <= priority_max) return {};
  return failure(ErrorKind::forbidden,
      "priority " + std::to_string(priority) + " is for administrators; others may ask for " +
          std::to_string(priority_max) + " at most (agent.priority_max)");
}

Result<void> check_quota(const AgentServices& agent,
    const Principal& who,
    const std::string& owner,
    const sched::UserHolding& more) {
  if (who.administrator) return {};
  const AgentOptions& limits = agent.configuration().agent;
  const sched::UserHolding held = sched::holding_of(agent.peer(), owner);
  if (limits.jobs_per_user != 0 && held.jobs + more.jobs > limits.jobs_per_user) {
    return too_many(owner, std::to_string(held.jobs), "jobs", "agent.jobs_per_user",
        std::to_string(limits.jobs_per_user));
  }
  if (limits.tasks_per_user != 0 && held.tasks + more.tasks > limits.tasks_per_user) {
    return too_many(owner, std::to_string(held.tasks), "tasks", "agent.tasks_per_user",
        std::to_string(limits.tasks_per_user));
  }
  const std::uint64_t room = std::uint64_t{limits.job_mebibytes_per_user} << 20;
  if (room != 0 && held.bytes + more.bytes > room) {
    return too_many(owner, std::to_string(held.bytes >> 20) + " MiB of", "jobs",
        "agent.job_mebibytes_per_user", std::to_string(limits.job_mebibytes_per_user));
  }
  return {};
}

// Not with the jobs that are there: one that is said again, as its answer got lost, is one of them.
Result<void> check_uploads(
    const AgentServices& agent, const Principal& who, const Account& account) {
  const std::uint32_t limit = agent.configuration().agent.job_mebibytes_per_user;
  if (who.administrator || limit == 0) return {};
  const std::uint64_t bytes = account.upload_bytes;
  if (bytes <= std::uint64_t{limit} << 20) return {};
  return too_many(account.user, std::to_string(bytes >> 20) + " MiB of", "uploads",
      "agent.job_mebibytes_per_user", std::to_string(limit));
}

Result<void> check_limits(const AgentServices& agent, const Principal& who, const sched::Job& job) {
  for (const sched::TaskGroup& group : job.groups) {
    if (auto fine = check_priority(agent, who, group.priority); !fine) return fine;
  }
  return check_quota(
      agent, who, job.owner, {.jobs = 1, .tasks = job.task_count(), .bytes = sched::bytes_of(job)});
}

}  // namespace dunlin::node
