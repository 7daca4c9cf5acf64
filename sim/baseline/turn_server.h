// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "sim/clock.h"

namespace dunlin::sim {

/// A single server: it takes one turn after the other, in the order in which they come.
class TurnServer {
 public:
  /// Begins the turn now, and returns the time that it takes: what it sends should leave then.
  using Turn = std::function<overlay::Duration()>;

  TurnServer() = default;
  TurnServer(const TurnServer&) = delete;
  TurnServer& operator=(const TurnServer&) = delete;

  /// Takes the turn once all before it have ended: at once, if it is idle.
  void post(Turn turn) {
    waiting_.push_back(std::move(turn));
    if (!busy_) run();
  }
  /// Forgets the turns that wait. The one that it takes goes on to its end.
  void clear() { waiting_.clear(); }

 private:
  /// Takes turns until one of them takes time, or none waits.
  void run() {
    busy_ = true;
    while (!waiting_.empty()) {
      const Turn turn = std::move(waiting_.front());
      waiting_.pop_front();
      const overlay::Duration takes = turn();
      if (takes > overlay::Duration{0}) return schedule(takes, [this] { run(); });
    }
    busy_ = false;
  }

  std::deque<Turn> waiting_;
  bool busy_ = false;
};

}  // namespace dunlin::sim
