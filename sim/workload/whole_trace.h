// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sim/scenario/map_reduce_params.h"
#include "sim/scenario/trace_params.h"
#include "sim/workload/draws.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// The jobs of a trace as its users submitted them: what it lists as jobs of one family is one job
/// of several groups, each of which waits for those that it names. All of it is in memory.
class WholeTrace final : public Workload {
 public:
  /// Takes all jobs of `stages`, and keeps it: others may look at it.
  WholeTrace(std::unique_ptr<Workload> stages,
      const TraceParams& params,
      const MapReduceParams& rates,
      const sched::Resources& machine,
      Rng rng);

  std::optional<Submission> next() override;
  std::uint64_t left_out() const override { return stages_->left_out(); }

 private:
  std::unique_ptr<Workload> stages_;
  std::vector<Submission> jobs_;  ///< In the order of time.
  /// The next job to be handed out.
  std::size_t next_ = 0;
};

/// The deadline of a whole job: of all its work, and of the longest chain of its stages, by the
/// rule that holds for a job of one stage. Empty if jobs have none.
std::optional<Duration> deadline_of_whole(const TraceParams& params, const Submission& whole);

/// One job of the stages `parts`, which come in the order of time: it arrives with the first of
/// them. `key` names it. Parents that are not among them are of no account.
Submission join_stages(std::vector<Submission> parts, std::uint64_t key);

}  // namespace dunlin::sim
