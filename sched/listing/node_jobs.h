// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>

#include "sched/listing/job_query.h"
#include "sched/turn.h"

namespace dunlin::sched {

class CellNode;

/// What a node's part in lists of jobs may see and touch during one step.
struct ListingTurn {
  Turn& turn;
  Endpoint self;
  const CellNode* cells;                           ///< Nullptr while the node knows of no cells.
  std::function<NodeJobs(const JobFilter&)> here;  ///< What this node has.
};

/// What the node `self` has of the jobs that `filter` means, if `jobs` are all that it drives.
NodeJobs jobs_of_node(
    const Endpoint& self, std::span<const JobState* const> jobs, const JobFilter& filter);

/// The first job of a node, to be compared with those of others in that order. Borrows from `node`.
JobLine first_of(const NodeJobs& node, JobSort sort);

}  // namespace dunlin::sched
