// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace dunlin::sched {

/// The order in which the tasks of one group are handed out: those to attempt once more, oldest
/// first, then those never offered, by index. It may name tasks that wait no more, because they
/// were adopted, cancelled or finished meanwhile; its reader passes over them. Memory: nothing for
/// tasks never offered.
class WaitingTasks {
 public:
  /// The group has tasks [first, end).
  WaitingTasks(std::uint32_t first, std::uint32_t end) : next_(first), end_(end) {}

  /// Takes out the first that `waits(index)` is true of; empty if there is none. It takes none that
  /// `suits(index)` is false of: these stay, before those never offered. It passes over kAgainLooks
  /// of them at most, which then come after the others.
  template <typename Waits, typename Suits>
  std::optional<std::uint32_t> pop(Waits&& waits, Suits&& suits) {
    std::size_t passed = 0;
    for (auto next = again_.begin(); next != again_.end() && passed < kAgainLooks;) {
      const std::uint32_t index = *next;
      if (waits(index) && !suits(index)) {
        ++next;
        ++passed;
        continue;
      }
      next = again_.erase(next);
      if (waits(index)) return index;
    }
    if (passed == kAgainLooks) rotate();
    while (next_ < end_) {
      const std::uint32_t index = next_++;
      if (!waits(index)) continue;
      if (suits(index)) return index;
      again_.push_back(index);
    }
    return std::nullopt;
  }
  template <typename Waits>
  std::optional<std::uint32_t> pop(Waits&& waits) {
    return pop(waits, [](std::uint32_t) { return true; });
  }
  /// Takes out the first of the tasks to attempt once more that `may(index)` is true of; empty if
  /// none of the first kAgainLooks is.
  template <typename May>
  std::optional<std::uint32_t> pop_again(May&& may) {
    const auto end = again_.begin() +
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(again_.size(), kAgainLooks));
    const auto found = std::find_if(again_.begin(), end, may);
    if (found == end) {
      if (again_.size() > kAgainLooks) rotate();
      return std::nullopt;
    }
    const std::uint32_t index = *found;
    again_.erase(found);
    return index;
  }
  /// A task that was taken out waits again.
  void push(std::uint32_t index) { again_.push_back(index); }
  void clear() { again_ = {}; }

  /// True if pop() will come to the task. Takes time by the number of tasks to attempt once more.
  bool holds(std::uint32_t index) const;

  /// So many of a long list are looked at for a task of one node.
  static constexpr std::size_t kAgainLooks = 1024;

 private:
  /// The first kAgainLooks come after the others from now on.
  void rotate() {
    for (std::size_t i = 0; i < kAgainLooks; ++i) {
      again_.push_back(again_.front());
      again_.pop_front();
    }
  }

  std::uint32_t next_;  ///< The first that no worker was ever offered.
  std::uint32_t end_;
  std::deque<std::uint32_t> again_;  ///< Tasks to attempt once more, oldest first.
};

}  // namespace dunlin::sched
