// SPDX-License-Identifier: MIT
#include "node/agent/output/output_keeper.h"

#include "node/wall_clock.h"
#include "sched/peer_view.h"

// A home forgets jobs as its history fills, and does not know which nodes ran their tasks: that
// would be a list as long as the job. So a node that keeps output asks, a few jobs at a time. A
// question or an answer that is lost is asked again in the next round. A home that is gone answers
// nothing, and then the limit of all output decides.
namespace dunlin::node {
namespace {

/// A job to which something was written lately is known at its home.
constexpr std::int64_t kRestNs = 60'000'000'000;

bool is_forgotten(const AgentParts& parts, const sched::JobId& job) {
  return sched::find_job(*parts.peer, job) == nullptr;
}

}  // namespace

void OutputKeeper::look() {
  const auto kept = parts_.output->kept_after(asked_, kJobsMax, wall_clock_ns() - kRestNs);
  asked_ = kept.last;
  if (kept.jobs.empty()) return;
  const overlay::PeerId home = kept.jobs.front().home;
  if (home == parts_.peer->self().endpoint.id) {
    for (const sched::JobId& job : kept.jobs) {
      if (is_forgotten(parts_, job)) parts_.output->forget(job);
    }
    return;
  }
  const auto& nodes = sched::directory_of(*parts_.peer).nodes();
  const auto known = nodes.find(home);
  if (known == nodes.end()) return;
  OutputCheck check;
  for (const sched::JobId& job : kept.jobs) {
    check.jobs.push_back({.number = job.number, .lineage = job.lineage});
  }
  parts_.outbox.send(
      {.id = home, .address = known->second.descriptor.address}, Message(std::move(check)));
}

void answer_check(AgentParts& parts, const overlay::Endpoint& from, const OutputCheck& asked) {
  const overlay::PeerId self = parts.peer->self().endpoint.id;
  OutputGone gone;
  for (const KeptJob& job : asked.jobs) {
    if (!is_forgotten(parts, {.home = self, .number = job.number, .lineage = job.lineage}))
      continue;
    gone.jobs.push_back(job);
  }
  if (!gone.jobs.empty()) parts.outbox.send(from, Message(std::move(gone)));
}

void forget_output(AgentParts& parts, const overlay::Endpoint& home, const OutputGone& gone) {
  for (const KeptJob& job : gone.jobs) {
    parts.output->forget({.home = home.id, .number = job.number, .lineage = job.lineage});
  }
}

}  // namespace dunlin::node
