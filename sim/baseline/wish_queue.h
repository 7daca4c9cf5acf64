// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/constraints.h"
#include "sched/job.h"
#include "sched/resources.h"

namespace dunlin::sim {

/// What the tasks of a group want of a machine: equal for those that fit the same ones.
inline std::string wish_of(const sched::TaskGroup& group) {
  std::string text = sched::to_string(group.demand);
  for (const auto& each : group.constraints) text += '\n' + to_string(each);
  return text;
}

/// Tasks by rank, and of one rank in the order of their insertion, told apart by what they want:
/// where one has no match, others that want the same have none either, and are passed over at no
/// cost. All ranks are 0 until sort() says otherwise.
template <typename Task>
class WishQueue {
 public:
  /// Puts a task behind those of its rank, of which 0 is the first.
  void push(std::uint32_t wish, Task task) {
    waiting_[wish].push_back({.rank = 0, .stamp = ++stamp_, .task = std::move(task)});
    ++size_;
  }
  /// Ranks all that wait by `rank_of(task)`, the least first.
  template <typename Rank>
  void sort(Rank&& rank_of) {
    for (auto& [wish, entries] : waiting_) {
      for (Entry& each : entries) each.rank = rank_of(each.task);
      std::ranges::sort(entries, {}, &Entry::place);
    }
  }
  /// From now on take() gives each task once that waits by now.
  void begin_pass() { limit_ = stamp_; }
  /// Takes out the first task that was not given in this pass, but for those with a wish in
  /// `missed`.
  std::optional<Task> take(const std::set<std::uint32_t>& missed) {
    auto first = waiting_.end();
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
      if (missed.contains(at->first) || at->second.front().stamp > limit_) continue;
      if (first == waiting_.end() || at->second.front().place() < first->second.front().place()) {
        first = at;
      }
    }
    return take_from(first);
  }
  /// Takes out the first task that `suits(task)`, which is asked once for each wish.
  template <typename Suits>
  std::optional<Task> take_first(Suits&& suits) {
    std::vector<typename Waiting::iterator> wishes;
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) wishes.push_back(at);
    std::ranges::sort(wishes, {}, [](const auto& at) { return at->second.front().place(); });
    for (const auto& at : wishes) {
      if (suits(at->second.front().task)) return take_from(at);
    }
    return std::nullopt;
  }
  /// All tasks that wait, whatever they want.
  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t rank = 0;
    std::uint64_t stamp = 0;
    Task task;

    std::pair<std::uint64_t, std::uint64_t> place() const { return {rank, stamp}; }
  };
  using Waiting = std::map<std::uint32_t, std::deque<Entry>>;  ///< By wish.

  std::optional<Task> take_from(typename Waiting::iterator at) {
    if (at == waiting_.end()) return std::nullopt;
    Task task = std::move(at->second.front().task);
    at->second.pop_front();
    if (at->second.empty()) waiting_.erase(at);
    --size_;
    return task;
  }

  Waiting waiting_;
  std::uint64_t stamp_ = 0;
  std::uint64_t limit_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dunlin::sim
