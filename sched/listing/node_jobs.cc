// SPDX-License-Identifier: MIT
#include "sched/listing/node_jobs.h"

#include <optional>

#include "sched/frontend/job_state.h"

// A node tells numbers and the one job that would stand first. The first jobs of all nodes together
// are on the nodes with the best first ones: no more nodes need be asked for lines than there are
// lines to show. So what a node says is short, however many jobs it has.
namespace dunlin::sched {
namespace {

std::string_view key_of(const JobLine& job, JobSort sort) {
  return sort == JobSort::name ? job.name : sort == JobSort::user ? job.user : std::string_view();
}

}  // namespace

NodeJobs jobs_of_node(
    const Endpoint& self, std::span<const JobState* const> jobs, const JobFilter& filter) {
  const JobQuery query = query_of(filter);
  NodeJobs told{.node = self.id, .address = self.address};
  std::array<std::uint32_t, kJobStates.size()> totals{};
  std::optional<JobLine> first;
  for (const JobState* job : jobs) {
    const JobLine line = line_of(*job, self.id);
    if (!query.covers(line)) continue;
    ++totals[rank_of(line.state)];
    if (!query.lists(line)) continue;
    ++told.matching;
    if (!first || query.before(line, *first)) first = line;
  }
  for (const std::uint32_t total : totals) told.totals.push_back(total);
  if (!first) return told;
  told.first = {.number = first->number,
      .submitted_at = first->submitted_at,
      .tasks = first->tasks,
      .state = static_cast<std::uint8_t>(rank_of(first->state)),
      .key = std::string(key_of(*first, query.sort).substr(0, FirstJob::kKeyMax))};
  return told;
}

JobLine first_of(const NodeJobs& node, JobSort sort) {
  const FirstJob& first = node.first;
  JobLine line{.state = first.state < kJobStates.size() ? kJobStates[first.state] : "",
      .submitted_at = first.submitted_at,
      .tasks = first.tasks,
      .home = node.node,
      .number = first.number};
  if (sort == JobSort::name) line.name = first.key;
  if (sort == JobSort::user) line.user = first.key;
  return line;
}

}  // namespace dunlin::sched
