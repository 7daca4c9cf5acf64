// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "sched/job.h"
#include "sim/scenario/fleet.h"
#include "sim/scenario/simulation_params.h"

namespace dunlin::sim {

/// So many MiB/s as nodes declare them, rounded.
std::uint32_t kibibytes(double mebibytes);

/// The resources of the largest machine.
sched::Resources largest_machine(const ClusterParams& params);

/// The speeds of machines that `params.speeds` lists; just 1 if it is empty. Fails (`usage`) if a
/// word is no number in [0.01, 100].
Result<std::vector<double>> speeds_of(const ClusterParams& params);

/// The machines of a cluster. Requires that speeds_of() does not fail. They are the same for the
/// same seed; and the first n of a larger cluster are those of a cluster of n.
Fleet machines_of(const ClusterParams& params, std::uint64_t seed);

/// Tells which machines satisfy which constraints. The answer is computed once for all jobs with
/// the same demand.
class Eligibility {
 public:
  /// By machine. Null: every machine will do.
  using Flags = std::shared_ptr<const std::vector<bool>>;

  explicit Eligibility(const Fleet& machines) : machines_(machines) {}

  /// The machines that satisfy the demands of `group` on attributes, whatever their size.
  Flags of(const sched::TaskGroup& group);
  /// True if one of them is also large enough when it is idle.
  bool any(const sched::TaskGroup& group);

  /// The machines that answers are about.
  const Fleet& machines() const { return machines_; }

 private:
  Fleet machines_;
  std::map<std::string, Flags> known_;  ///< By the constraints, as text.
};

}  // namespace dunlin::sim
