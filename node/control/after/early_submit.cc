// SPDX-License-Identifier: MIT
#include "node/control/after/early_submit.h"

#include <algorithm>
#include <string>

#include "node/agent_options.h"
#include "node/control/agent_services.h"
#include "sched/constraints.h"
#include "sched/directory/directory.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

// An agent that has just begun knows few nodes, and would refuse a job that the cluster can run. So
// such a submit waits a little, until somebody fits or the agent is no newcomer any more; then it
// is judged as any other.
namespace dunlin::node {
namespace {

/// A node that has just begun does not know all others yet.
constexpr overlay::Duration kJustBegun = std::chrono::seconds(3);

/// In so long one that starts has heard of the machines that replicas need.
constexpr overlay::Duration kMachinesHeard = std::chrono::seconds(5);

/// Why the job's replicas lack machines that may be heard of yet.
std::optional<std::string> lacks_machines(const AgentServices& agent, const sched::Job& job) {
  if (agent.status().uptime > kMachinesHeard) return std::nullopt;
  const auto& defaults = agent.configuration().peer.frontend;
  const auto required = std::max(job.replicas_required, defaults.replicas_required);
  return sched::directory_of(agent.peer()).why_never_safe(required, "required replica");
}

/// Directory::why_never(), also of one that does not know this very node yet.
std::optional<std::string> why_never(const AgentServices& agent, const sched::TaskGroup& group) {
  const sched::Directory& nodes = sched::directory_of(agent.peer());
  const sched::NodeSpec self = agent.peer().self();
  const bool here = sched::fits(group.demand, sched::all_of(self.total)) &&
      sched::satisfies_all(self.attributes, group.constraints);
  if (here) return std::nullopt;
  if (nodes.nodes().empty()) return "this node knows no other one yet, and does not fit itself";
  return nodes.why_never(agent.now(), group.demand, group.constraints);
}

}  // namespace

std::optional<Error> too_early(
    const AgentServices& agent, const sched::Job& job, bool allow_unsatisfiable) {
  const auto said = sched::find_submission(agent.peer(), job.key);
  if (!said) return said.error();
  if (*said || allow_unsatisfiable) return std::nullopt;
  if (auto why = lacks_machines(agent, job)) {
    return Error{ErrorKind::refused, std::move(*why), 0};
  }
  const bool young = agent.peer().overlay().cyclon().seeks() || agent.status().uptime < kJustBegun;
  if (!young) return std::nullopt;
  for (const sched::TaskGroup& group : job.groups) {
    auto why = why_never(agent, group);
    if (why) return Error{ErrorKind::refused, std::move(*why), 0};
  }
  return std::nullopt;
}

EarlyPending::EarlyPending(
    const AgentServices& agent, sched::Job job, bool allow_unsatisfiable, Submit submit)
    : job_(std::move(job)),
      allow_(allow_unsatisfiable),
      submit_(std::move(submit)),
      end_(agent.now() + kPatience),
      next_(agent.now() + kLook) {}

std::string EarlyPending::waits_for(const AgentServices& agent) const {
  if (submitted_) return submitted_->waits_for(agent);
  return "other nodes of the cluster: this agent has just started";
}

bool EarlyPending::advance(AgentServices& agent, const Reply& reply) {
  if (submitted_) return submitted_->advance(agent, reply);
  next_ = agent.now() + kLook;
  if (agent.now() < end_ && too_early(agent, job_, allow_)) return true;
  auto submitted = submit_(std::move(job_));
  if (!submitted) {
    reply.fail(submitted.error());
    return false;
  }
  submitted_ = std::move(*submitted);
  return submitted_->advance(agent, reply);
}

}  // namespace dunlin::node
