// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/job.h"
#include "sched/message.h"

// Records of tasks that ended, in the form in which people ask for them.
namespace dunlin::node {

/// One task's result, as people ask for it.
struct ResultRow {
  sched::Report report;
  sched::PeerId worker;
};

/// One attempt that did not count: it failed and was made again, or its worker was lost.
struct AttemptRow {
  sched::Report report;  ///< A lost one has only index and attempt.
  sched::PeerId worker;
  bool lost = false;
};

/// The results to list, by the state that they gave their task.
enum class Listed : std::uint8_t { all, failed, cancelled };

/// Which results to list: at most `limit` of `job` with index >= `first`, ascending.
struct ResultQuery {
  sched::JobId job;
  std::uint32_t first = 0;
  std::uint32_t limit = 1000;
  Listed listed = Listed::all;
};

/// A measure of tasks that has percentiles.
enum class Measure { wall, cpu, memory_peak };

}  // namespace dunlin::node
