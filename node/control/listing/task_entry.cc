// SPDX-License-Identifier: MIT
#include "node/control/listing/task_entry.h"

#include "node/control/agent_services.h"
#include "sched/frontend/job_state.h"

namespace dunlin::node {

void add_entry(AgentServices& agent, const sched::JobState& job, std::uint32_t index, Json& task) {
  const std::uint16_t group = job.group_of(index);
  const std::uint32_t within = index - job.groups()[group].first;
  const sched::Lines* entries = &job.spec_of(group).entries;
  // A job that has ended holds its lines in memory no more.
  const auto record = job.finished() ? agent.record(job.id()) : nullptr;
  if (job.finished() && (!record || group >= record->groups.size())) return;
  if (record) entries = &record->groups[group].entries;
  if (within < entries->size()) task["entry"] = bytes_json((*entries)[within]);
}

}  // namespace dunlin::node
