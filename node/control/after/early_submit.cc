// SPDX-License-Identifier: MIT
#include "node/control/after/early_submit.h"

#include "node/control/agent_services.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

/// A node that has just begun does not know all others yet.
constexpr overlay::Duration kJustBegun = std::chrono::seconds(3);

}  // namespace

std::optional<Error> too_early(
    const AgentServices& agent, const sched::Job& job, bool allow_unsatisfiable) {
  const auto said = sched::find_submission(agent.peer(), job.key);
  if (!said) return said.error();
  if (*said || allow_unsatisfiable) return std::nullopt;
  const bool young = agent.peer().overlay().cyclon().seeks() || agent.status().uptime < kJustBegun;
  if (!young) return std::nullopt;
  const sched::Directory& nodes = sched::directory_of(agent.peer());
  for (const sched::TaskGroup& group : job.groups) {
    auto why = nodes.why_never(agent.now(), group.demand, group.constraints);
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
