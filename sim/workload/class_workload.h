// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/scenario/classes.h"
#include "sim/workload/synthetic.h"

namespace dunlin::sim {

/// Demand that never ends: each class has a fixed number of jobs under way at each frontend, and
/// when one ends, the next comes, unless the class pauses. So all of them saturate the cluster at
/// once, whatever they get of it, and what waits stays bounded.
class ClassWorkload final : public Workload {
 public:
  ClassWorkload(const WorkloadParams& params,
      std::vector<WorkloadClass> classes,
      std::uint32_t backlog,
      std::uint32_t peers,
      Time end,
      Rng rng);

  std::optional<Submission> next() override;
  std::uint64_t left_out() const override { return 0; }
  std::optional<Submission> after(std::uint64_t key, Time now) override;
  std::vector<Submission> again(std::uint32_t peer, Time now) override;
  Time begins(const Submission& submission) const override;
  bool goes_on() const override { return true; }

 private:
  /// The next job of a chain.
  Submission draw(Time at, std::uint64_t key);
  std::uint64_t chains_per_peer() const { return classes_.size() * backlog_; }

  WorkloadParams params_;
  std::vector<WorkloadClass> classes_;
  std::uint32_t backlog_;
  std::uint32_t peers_;
  Time end_;
  Rng rng_;
  std::uint64_t begun_ = 0;  ///< Chains of jobs. Their keys: peer by peer, class by class.
};

}  // namespace dunlin::sim
