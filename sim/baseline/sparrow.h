// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// Sparrow as it was published: a frontend knows all workers, and leaves reservations for a job at
/// `probes` of them for each of its tasks, drawn evenly among those that satisfy its constraints. A
/// worker serves them in their order. When it has room for the first it asks for a task, and keeps
/// the room until it hears: a task, or that none is left.
/// Source: Ousterhout 2013, sections 3.2 to 3.4, and 4.1 for constraints.
class Sparrow final : public Baseline {
 public:
  Sparrow(const Options& options, Recorder& recorder)
      : Baseline(options, recorder),
        queues_(machines()) {}

 private:
  /// The reservations of one job.
  struct Search {
    PlacedJob job;
    std::uint32_t next = 0;  ///< Its first task that no worker has got.
  };
  using Reservation = std::shared_ptr<Search>;

  void place(const PlacedJob& job) override;
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Asks on behalf of the reservations that wait at `machine`, in their order, while it has room.
  void serve(std::uint32_t machine);
  /// The frontend hears that `machine` has room for a task of the job.
  void answer(const Reservation& reservation, std::uint32_t machine);

  std::vector<std::deque<Reservation>> queues_;  ///< By machine.
};

}  // namespace dunlin::sim
