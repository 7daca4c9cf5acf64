// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "sim/engine/cluster.h"
#include "sim/scenario/scenario.h"

namespace dunlin::sim {

/// Crashes peers, and starts them again, as the faults of a scenario say.
class Outages {
 public:
  /// `returned` is told of each peer that has started again. All must outlive this.
  Outages(
      const Scenario& scenario, Cluster& cluster, std::function<void(std::uint32_t peer)> returned);
  Outages(const Outages&) = delete;
  Outages& operator=(const Outages&) = delete;

  /// Schedules the crashes of peers before `end`, each known from the start.
  void schedule_crashes(Time end, Rng rng);
  /// Schedules the death of managers and of majorities of voters, if there is to be one: which
  /// peers these are is seen then.
  void schedule_managers(Rng rng);

 private:
  /// Picks the victims by the cells as they stand now, and kills all of them at this moment.
  void kill_managers();
  /// The peer dies, and comes back if the scenario says so.
  void kill(std::uint32_t peer);
  /// The peer lives again, with contacts drawn from `rng`.
  void restart(std::uint32_t peer, Rng rng);
  void restart_after(Duration wait, std::uint32_t peer, Rng rng);

  const Scenario& scenario_;
  Cluster& cluster_;
  std::function<void(std::uint32_t)> returned_;
  Rng managers_{0};
};

/// True if a peer that dies may live again.
bool any_returns(const FaultParams& faults);

}  // namespace dunlin::sim
