// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// Least loaded, by a scheduler that knows at no cost and without delay how much room each machine
/// has, and when it will have more. It serves first come, first served, which equals sending each
/// task at once to the machine where it will start soonest. Only the task itself has to travel, and
/// it does so while it waits.
/// It bounds every scheduler without preemption and without knowledge of the future that does not
/// favour short jobs.
/// favouring short jobs.
class Omniscient final : public Baseline {
 public:
  Omniscient(const Options& options, Recorder& recorder);

 private:
  /// A job with tasks that wait for room.
  struct Waiting {
    PlacedJob job;
    std::uint32_t next = 0;  ///< The first of its tasks that waits.
  };

  void place(const PlacedJob& job) override;
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Starts as many tasks as `machine` has room for. Requires that they fit.
  void assign(std::uint32_t machine, Waiting& waiting);
  /// The free part of `machine`: the free share of its CPU times that of its memory.
  double freedom(std::uint32_t machine) const;
  /// Sorts a machine in anew, because its room has changed.
  void sort_in(std::uint32_t machine);

  std::deque<Waiting> queue_;
  std::set<std::pair<double, std::uint32_t>> by_freedom_;
  std::vector<double> sorted_as_;  ///< The freedom by which each machine is sorted in.
};

}  // namespace dunlin::sim
