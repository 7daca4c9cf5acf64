// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <utility>

namespace dunlin::client {

using Time = std::chrono::steady_clock::time_point;
inline constexpr Time kNever = Time::max();

/// What is to be done at a time to come. It reads no clock: advance() says what time it is.
class Later {
 public:
  /// `action` is called by advance(), and may put others here.
  void in(std::chrono::milliseconds delay, std::function<void()> action) {
    actions_.emplace(now_ + delay, std::move(action));
  }
  /// Does what is due.
  void advance(Time now) {
    now_ = now;
    while (!actions_.empty() && actions_.begin()->first <= now) {
      // Taken out before it is called: it may put others here.
      const auto action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action();
    }
  }
  /// When advance() is wanted next; kNever if nothing waits.
  Time due() const { return actions_.empty() ? kNever : actions_.begin()->first; }
  /// As advance() was told last.
  Time now() const { return now_; }

 private:
  Time now_{};
  std::multimap<Time, std::function<void()>> actions_;
};

}  // namespace dunlin::client
