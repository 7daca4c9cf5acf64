// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/world.h"
#include "tests/swarm/job_deeds.h"

namespace dunlin::test {

/// Looks if what users used, as the stores of all homes have it, is what the records of their
/// attempts say: no attempt is counted twice or not at all, whatever crashed and whichever standby
/// took over.
class UsageWatch {
 public:
  UsageWatch(World& world, const JobDeeds& deeds) : world_(world), deeds_(deeds) {}

  /// Breaks the run if a sum is wrong. To be called when all that was said is durable.
  void look();
  /// Logs that a later home than the first drives, and of which sums were compared.
  std::uint64_t taken_over() const { return taken_over_; }

 private:
  void look_at_logs(std::size_t node);

  World& world_;
  const JobDeeds& deeds_;
  std::uint64_t taken_over_ = 0;
};

}  // namespace dunlin::test
