// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/machines.h"
#include "sim/scenario/map_reduce_params.h"
#include "sim/scenario/workload_params.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// Jobs of two stages with demands on CPU, memory, disk and network, which vary widely and are
/// correlated as one chooses. The jobs are drawn one by one: with other errors of estimates, or on
/// other machines, the same jobs come.
/// Source: the model of facts that Grandl 2014 states of Bing's and Facebook's jobs; it publishes
/// no distribution.
class MapReduceWorkload final : public Workload {
 public:
  /// Requires validate(map_reduce).
  MapReduceWorkload(const WorkloadParams& params,
      const MapReduceParams& map_reduce,
      const Fleet& machines,
      Rng rng);

  std::optional<Submission> next() override;
  std::uint64_t left_out() const override { return left_out_; }

 private:
  /// What the tasks of a stage take, in CPUs, MiB and MiB/s; and those whose amounts they are.
  struct StageSpans {
    Span cpu;
    Span memory;
    Span read;
    Span write;
    Span in;
    Span out;
  };

  /// A job by its number, from 1. It draws the same whatever was drawn for the jobs before it.
  Submission draw(std::uint64_t key, Time at);
  /// What each task of a stage really takes.
  sched::Resources draw_use(const StageSpans& spans, Rng& rng) const;
  /// Adds a stage as one group. `errors` draws by how much its demand is stated wrong.
  void add_stage(sched::Job& job,
      std::uint32_t count,
      Duration time,
      const sched::Resources& use,
      Rng& errors) const;
  /// Draws where the inputs of the tasks of a stage are.
  void place_inputs(sched::TaskGroup& group, Duration time, Rng& rng) const;

  WorkloadParams params_;
  MapReduceParams map_reduce_;
  Eligibility eligibility_;
  Rng rng_;
  std::vector<Time> arrivals_;
  std::size_t next_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace dunlin::sim
