// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sched/frontend/placement/placement.h"
#include "tests/support/known_nodes.h"

namespace dunlin::test {

/// A task group in need of workers, and the nodes that its frontend knows.
class Placing : public KnownNodes {
 protected:
  /// Asks `placement` for what the group needs now.
  std::optional<sched::Batch> choose(sched::Placement& placement) {
    const sched::Surroundings around(known);
    return placement.choose(need(), {.around = around, .others = {}}, rng);
  }
  sched::Need need() const {
    return {.demand = demand,
        .signature = signature,
        .waiting = waiting,
        .out = out,
        .crowded = crowded,
        .turned_away = turned_away,
        .pause = pause};
  }
  /// One more reservation is out: it waits at `holder`, or it walks.
  void probe(std::uint64_t holder, bool queued) {
    out.push_back({.id = static_cast<std::uint32_t>(out.size() + 1),
        .queued = queued,
        .holder = {.id = {holder}, .address = {}}});
  }
  static std::set<std::uint64_t> targets(const sched::Batch& batch) {
    std::set<std::uint64_t> ids;
    for (const sched::Hop& hop : batch.hops) ids.insert(hop.to.id.value);
    return ids;
  }

  sched::FrontendParams params{.probe_ratio = 2, .probe_ratio_full = 4};
  std::uint32_t waiting = 1;
  std::vector<sched::Probe> out;
  bool crowded = false;
  bool turned_away = false;
  sched::Duration pause{0};
};

}  // namespace dunlin::test
