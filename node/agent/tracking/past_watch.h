// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "node/agent/agent_parts.h"

namespace dunlin::node {

/// Notes the figures of this agent for people who ask later: see PastRing.
class PastWatch {
 public:
  /// `parts` must outlive this.
  explicit PastWatch(AgentParts& parts) : parts_(parts) {}

  /// Attempts have ended here.
  void on_ends(std::span<const sched::Exit> exits);
  /// Call it each `period`, when all parts are open: notes them if a step is over. How much later
  /// than that a call comes is how late the loop is.
  void look(overlay::Duration period);

 private:
  PastFigures measure() const;

  AgentParts& parts_;
  std::optional<overlay::Time> looked_;
  std::optional<std::int64_t> step_;
  Metrics::Snapshot before_;
  std::int64_t late_ = 0;    ///< The latest call in this step, ns.
  std::int64_t failed_ = 0;  ///< Attempts that failed in this step.
};

}  // namespace dunlin::node
