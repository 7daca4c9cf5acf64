// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The slot states of a cell's nodes, as their reports tell them: the status checker of the plan's
/// source. Each change has a number, so that a reader finds those that it has not seen. Soft: the
/// next manager hears them anew. Source: Lin 2014, section 3.2.
class WorkerStates {
 public:
  struct State {
    SlotCounts slots;
    std::uint64_t change = 0;  ///< The number of the last one of this node.
    friend bool operator==(const State&, const State&) = default;
  };

  /// A member says what its slots do.
  void hear(PeerId node, const SlotCounts& slots);
  /// All slots of nodes of which `is_member` says that they are no members any more are down.
  void lose_others(const std::function<bool(PeerId)>& is_member);
  /// Forgets all: there is no plan any more.
  void clear();

  const std::map<PeerId, State>& all() const { return states_; }
  /// The number of the last change; grows for as long as this lives.
  std::uint64_t changes() const { return changes_; }

 private:
  /// Nodes that are no members are kept up to this number in all.
  static constexpr std::size_t kNodesMax = 8192;

  std::map<PeerId, State> states_;
  std::uint64_t changes_ = 0;
};

}  // namespace dunlin::sched
