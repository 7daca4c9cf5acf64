// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// Least loaded, by a scheduler that knows at no cost and without delay how much room each machine
/// has, and when it will have more. First come, first served: which is the same as to send each
/// task at once to where it will start soonest. Only the task itself has to travel; it does so
/// while it waits. The bound for what no preemption and no knowledge of the future can do without
/// favouring short jobs.
class Omniscient final : public Baseline {
 public:
  Omniscient(const Options& options, Recorder& recorder);

 private:
  /// A job with tasks that wait for room.
  struct Waiting {
    PlacedJob job;
    std::uint32_t next = 0;  ///< Its first task that waits.
  };

  void place(const PlacedJob& job) override;
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Starts as many tasks as `machine` has room for. Requires that they fit.
  void assign(std::uint32_t machine, Waiting& waiting);
  /// The share of `machine` that is free, or more exactly: of CPU times that of memory.
  double freedom(std::uint32_t machine) const;
  /// Its room has changed.
  void sort_in(std::uint32_t machine);

  std::deque<Waiting> queue_;
  std::set<std::pair<double, std::uint32_t>> by_freedom_;
  std::vector<double> sorted_as_;  ///< The freedom by which each machine is sorted in.
};

}  // namespace dunlin::sim
