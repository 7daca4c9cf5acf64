// SPDX-License-Identifier: MIT
#include "sched/listing/node_jobs.h"

#include <optional>

#include "sched/frontend/job_state.h"

// A node tells numbers and the one job that would stand first. The first jobs of all nodes together
// are on the nodes with the best first ones: no more nodes need be asked for lines than there are
// lines to show. So what a node says is short, however many jobs it has.
namespace dunlin::sched {

NodeJobs jobs_of_node(
    const Endpoint& self, std::span<const JobState* const> jobs, const JobFilter& filter) {
  const JobQuery query = query_of(filter);
  NodeJobs told{.node = self.id, .address = self.address};
  std::array<std::uint32_t, kJobStates.size()> totals{};
  std::optional<JobLine> first;
  for (const JobState* job : jobs) {
    const JobLine line = line_of(*job, self.id);
    if (!query.covers(line, job->job().labels)) continue;
    ++totals[rank_of(line.state)];
    if (!query.lists(line)) continue;
    ++told.matching;
    if (!query.is_behind(line)) continue;
    if (!first || query.before(line, *first)) first = line;
  }
  for (const std::uint32_t total : totals) told.totals.push_back(total);
  told.passed = !first;
  if (first) told.first = place_of(*first, query.sort);
  return told;
}

JobLine first_of(const NodeJobs& node, JobSort sort) {
  JobLine line = line_of(node.first, sort);
  line.home = node.node;
  if (!line.origin) line.origin = node.node;
  return line;
}

}  // namespace dunlin::sched
