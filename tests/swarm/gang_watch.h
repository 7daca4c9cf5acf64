// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tests/support/world.h"
#include "tests/swarm/after_watch.h"
#include "tests/swarm/plan.h"

namespace dunlin::test {

/// Groups of a swarm that start together, and what must hold of them: none of their tasks is bound
/// unless all of those that wait are, in the same step.
class GangWatch {
 public:
  /// `jobs` are all that were submitted.
  GangWatch(World& world, const Plan& plan, const Jobs& jobs)
      : world_(world),
        plan_(plan),
        jobs_(jobs) {}

  /// Has a group of the job start together, perhaps, if there is room for it once all is healed.
  void draw(sched::Job& job, overlay::Rng& rng) const;
  void on_event(std::size_t node, const sched::Event& event);
  /// Call it from time to time, between steps.
  void look() const;

 private:
  /// The group of that task, if it is a gang.
  std::optional<std::uint16_t> gang_of(const JobId& job, std::uint32_t index) const;

  World& world_;
  const Plan& plan_;
  const Jobs& jobs_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::set<std::uint16_t>> open_;  ///< By job.
};

}  // namespace dunlin::test
