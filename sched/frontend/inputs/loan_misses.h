// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The tasks of one group that other nodes gave back, because no node with their input would lend
/// to them. Each of them stays for the nodes with its input for a while, longer each time. Memory:
/// nothing for other tasks. Tasks are numbered as in their group.
class LoanMisses {
 public:
  /// A node without the input of the task found no loan.
  void add(std::uint32_t task, Time now);
  /// True if the task may go to none but the nodes with its input now.
  bool stays(std::uint32_t task, Time now) const;
  /// True if nothing was lent to it again and again: perhaps it can run nowhere else.
  bool is_stuck(std::uint32_t task) const;
  /// A node with its input has it, or it has its result.
  void erase(std::uint32_t task) { misses_.erase(task); }

 private:
  struct Miss {
    Duration stay{};
    Time until{};
  };

  std::map<std::uint32_t, Miss> misses_;
};

}  // namespace dunlin::sched
