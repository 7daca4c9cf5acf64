// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace dunlin::node {

/// What all tasks of a node weigh together against the rest of the machine. The kernel divides CPU
/// time among siblings of its tree, level by level, and the tasks' cgroups lie in one of their own:
/// at its default weight all tasks of the node together would get no more than one process beside
/// it. So it weighs as much as its tasks do, as if they lay beside the other processes.
///
/// It is raised at once, and lowered when less than half of it is in use, so a node on which
/// tasks come and go seldom writes it.
class GroupWeight {
 public:
  /// A slot is in use by a task of so many milli-CPUs. Returns the group's new weight in
  /// milli-CPUs, if it is to be written.
  std::optional<std::uint64_t> take(std::uint32_t slot, std::uint32_t cpu) {
    if (slot >= slots_.size()) slots_.resize(slot + 1);
    total_ += std::uint64_t{cpu} - slots_[slot];
    slots_[slot] = cpu;
    const std::uint64_t wanted = std::max(total_, kLeast);
    if (wanted <= written_ && written_ <= 2 * wanted) return std::nullopt;
    written_ = wanted;
    return written_;
  }
  /// The slot is free: as take() of a task that demands nothing.
  std::optional<std::uint64_t> release(std::uint32_t slot) { return take(slot, 0); }

 private:
  /// One process's worth, the default: tasks that demand nothing get the crumbs of that.
  static constexpr std::uint64_t kLeast = 1000;

  std::vector<std::uint32_t> slots_;
  std::uint64_t total_ = 0;
  std::uint64_t written_ = kLeast;
};

}  // namespace dunlin::node
