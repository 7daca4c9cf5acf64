// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>

#include "sim/baseline/baseline.h"
#include "sim/baseline/roomiest.h"

namespace dunlin::sim {

/// By a scheduler that knows at no cost and without delay how much room each machine has, and when
/// it will have more. A task goes to the fastest machine that it fits, of those to the one with
/// most room free, and among equals by chance; machines that become free take the first that came
/// of the tasks that fit. With tasks and machines of one kind that is first come, first served, and
/// equals sending each task at once to the machine where it will start soonest. Only the task
/// itself has to travel, and it does so while it waits. It bounds every scheduler without
/// preemption and without knowledge of the future that does not favour short jobs.
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
  Roomiest machines_by_room_;
};

}  // namespace dunlin::sim
