// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The tasks of one job that nodes could not start, or lost by their own fault. Such a task rests
/// for a while, twice as long each time, and it avoids those nodes. Memory: nothing for other
/// tasks.
class Setbacks {
 public:
  /// A node failed the task. It rests from now on.
  void add(std::uint32_t index, PeerId node, Time now);
  /// The same, known from an earlier incarnation of the frontend: it does not rest any more.
  void restore(std::uint32_t index, std::span<const PeerId> nodes, Time now);

  /// A node lost the task because its output could not be written. Says how often that was before.
  std::uint16_t count_disk_loss(std::uint32_t index);

  /// The task waits from now on, after an attempt of it came to nothing in another way.
  void wait_again(std::uint32_t index, Time now);

  bool rests(std::uint32_t index) const;
  /// The task does not rest any more, whether its time has come or not.
  void wake(std::uint32_t index);
  /// The tasks whose rest is over. They rest until wake() is called of them.
  std::vector<std::uint32_t> rested(Time now) const;
  /// When the first of those that rest has rested; kNever if none does.
  Time next() const;

  /// The nodes that the task avoids, none of them twice. Empty once others had their time: then
  /// none of them will take it.
  std::span<const PeerId> avoided(std::uint32_t index, Time now) const;
  /// The tasks in [first, end) that have setbacks and do not rest.
  std::vector<std::uint32_t> awake(std::uint32_t first, std::uint32_t end) const;
  /// No other node can take the task: it may go to any.
  void forgive(std::uint32_t index);
  /// The task has its result.
  void erase(std::uint32_t index);
  void clear();

 private:
  struct Setback {
    std::vector<PeerId> nodes;  ///< At most kNodesMax; the latest last.
    std::uint16_t count = 0;
    std::uint16_t disk_losses = 0;
    Time ready{};  ///< It rests until then, and waits since then.
  };

  std::map<std::uint32_t, Setback> tasks_;            ///< By index.
  std::set<std::pair<Time, std::uint32_t>> resting_;  ///< By the time when they are ready.
};

}  // namespace dunlin::sched
