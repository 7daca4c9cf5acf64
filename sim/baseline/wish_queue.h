// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace dunlin::sim {

/// Tasks in the order of their insertion, told apart by what they want: where one has no match,
/// others that want the same have none either, and are passed over at no cost.
template <typename Task>
class WishQueue {
 public:
  void push(std::uint32_t wish, Task task) {
    waiting_[wish].emplace_back(++stamp_, std::move(task));
    ++size_;
  }
  /// From now on take() gives each task once that waits by now.
  void begin_pass() { limit_ = stamp_; }
  /// Takes out the first task that was not given in this pass, but for those with a wish in
  /// `missed`.
  std::optional<Task> take(const std::set<std::uint32_t>& missed) {
    auto first = waiting_.end();
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
      if (missed.contains(at->first) || at->second.front().first > limit_) continue;
      if (first == waiting_.end() || at->second.front().first < first->second.front().first) {
        first = at;
      }
    }
    if (first == waiting_.end()) return std::nullopt;
    Task task = std::move(first->second.front().second);
    first->second.pop_front();
    if (first->second.empty()) waiting_.erase(first);
    --size_;
    return task;
  }
  std::size_t size() const { return size_; }

 private:
  std::map<std::uint32_t, std::deque<std::pair<std::uint64_t, Task>>> waiting_;  ///< By wish.
  std::uint64_t stamp_ = 0;
  std::uint64_t limit_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dunlin::sim
