// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// The worker of the ID2210 paper: a machine allocates what a probe asks for as soon as it has
/// room, whether its frontend still needs it or not. The first allocations that a frontend hears of
/// run its tasks. Source: ID2210, section 3.1, figures 1 and 2.
class EarlyBinding final : public Baseline {
 public:
  EarlyBinding(const Options& options, Recorder& recorder)
      : Baseline(options, recorder),
        queues_(machines()) {}

 private:
  /// The probes of one job.
  struct Search {
    PlacedJob job;
    std::uint32_t bound = 0;  ///< Tasks that have a machine.
    /// Machines that have not allocated anything yet, as far as the frontend has heard.
    std::vector<std::uint32_t> asked;
  };
  using Probe = std::shared_ptr<Search>;

  void place(const PlacedJob& job) override;
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Allocates to the probes that wait at `machine`, in their order, while there is room.
  void allocate(std::uint32_t machine);
  /// The frontend hears that `machine` has allocated.
  void allocated(const Probe& probe, std::uint32_t machine);
  /// The frontend has machines for all tasks, and needs no more.
  void end_search(const Probe& probe);

  std::vector<std::deque<Probe>> queues_;  ///< Probes that wait, by machine.
};

}  // namespace dunlin::sim
