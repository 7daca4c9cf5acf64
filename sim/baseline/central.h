// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <vector>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// One scheduler for all, beside machine 0: it takes time for each decision, and hears of a task's
/// end when the message arrives. Between two tasks a machine is idle for a round trip.
class Central final : public Baseline {
 public:
  Central(const Options& options, Recorder& recorder);

 private:
  void place(const PlacedJob& job) override;
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Decides on the task at the head of the queue, if it fits somewhere, and then on the next.
  /// Tasks with constraints that no machine with room satisfies let others pass.
  void decide();
  /// The machine believed to have the most room, among those on which a task of `job` fits;
  /// machines() if there is none.
  std::uint32_t roomiest(const PlacedJob& job) const;

  std::vector<sched::Resources> believed_;  ///< Room of each machine.
  std::deque<Work> queue_;
  bool deciding_ = false;
};

}  // namespace dunlin::sim
