// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/baseline/baseline.h"
#include "sim/baseline/roomiest.h"
#include "sim/baseline/wish_queue.h"

namespace dunlin::sim {

/// One scheduler for all, beside machine 0: it takes time for each decision, and hears of a task's
/// end when the message arrives. Between two tasks a machine is idle for a round trip. It chooses
/// tasks and machines by the same rule as Omniscient, with what it believes.
class Central final : public Baseline {
 public:
  Central(const Options& options, Recorder& recorder);

 private:
  void place(const PlacedJob& job) override;
  void on_room(std::uint32_t machine, const PlacedJob& job) override;
  /// Decides on the first that came of the tasks that fit somewhere, and then on the next.
  void decide();
  /// What is believed of a machine has changed.
  void sort_in(std::uint32_t machine);
  /// The machine to be preferred, of those where a task of `job` is believed to fit.
  std::optional<std::uint32_t> roomiest(const PlacedJob& job);

  std::vector<sched::Resources> believed_;  ///< Room of each machine.
  Roomiest machines_by_room_;               ///< By that.
  WishQueue<Work> queue_;
  std::map<std::string, std::uint32_t> wishes_;  ///< Equal for tasks that fit the same machines.
  bool deciding_ = false;
};

}  // namespace dunlin::sim
