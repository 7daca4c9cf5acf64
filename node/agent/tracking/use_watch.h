// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "node/agent/agent_parts.h"
#include "node/agent/tracking/node_counters.h"
#include "node/agent/tracking/use_rates.h"
#include "node/loop/wakeup.h"

namespace dunlin::node {

/// Looks each tracker.period at what the machine and the tasks of its warden use, and tells the
/// peer: see sched::Tracker.
class UseWatch {
 public:
  /// `parts` must outlive this. Requires that all of them are open.
  explicit UseWatch(AgentParts& parts);

  void on_ends(std::span<const sched::Exit> exits) {
    if (!rates_) return;
    for (const sched::Exit& exit : exits) rates_->on_end(exit.job, exit.report);
  }

 private:
  void look();
  /// Says once which counters there are not.
  void tell_missing(const NodeReading& reading);

  AgentParts& parts_;
  std::optional<NodeCounters> counters_;  ///< Empty, as the next two: nothing is to be followed.
  std::optional<UseRates> rates_;
  std::optional<Wakeup> wakeup_;
  bool told_ = false;
};

}  // namespace dunlin::node
