// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "node/warden/launch.h"

namespace dunlin::node::warden {

/// Which launch a spawner runs next. Users take turns. One of them may have a quarter of kPlaces
/// spawners busy, and three quarters while no other user starts anything. A launch that takes
/// longer than kHangs keeps its spawner, but gives its place up: another spawner may be made.
class StartQueue {
 public:
  static constexpr std::size_t kPlaces = 32;
  /// Spawners that hang at most: each of them holds a slot of the node, too.
  static constexpr std::size_t kHangingMax = 256;
  static constexpr std::chrono::milliseconds kHangs{1000};

  void push(std::shared_ptr<Launch> launch, Clock::time_point now);
  /// The next launch that may run, which is busy from now on; null if there is none.
  std::shared_ptr<Launch> take(Clock::time_point now);
  /// A launch that was taken is through. True if its user has left, and the only one that is left
  /// may have more spawners busy than before: some that rest are needed.
  bool finish(const Launch& launch);
  /// Takes a launch out that was not taken yet; false if it was.
  bool withdraw(const Launch& launch);
  /// Notices launches that hang by now. True if places were given up.
  bool look(Clock::time_point now);

  /// True if no launch waits.
  bool empty() const { return waiting_ == 0; }
  /// Spawners that may be there now.
  std::size_t spawners_max() const { return kPlaces + hanging_; }
  /// The first that waits of those that may run, if any; and true if nothing of its user is busy.
  struct Waiting {
    Clock::time_point since{};
    bool first = false;
  };
  std::optional<Waiting> next() const;

 private:
  struct User {
    std::deque<std::pair<Clock::time_point, std::shared_ptr<Launch>>> queue;
    std::size_t busy = 0;  ///< Without those that hang.
  };
  struct Running {
    std::string user;
    Clock::time_point since{};
    bool hangs = false;
  };
  using Users = std::map<std::string, User>;

  bool may_run(Users::const_iterator user) const;
  void forget_idle(Users::iterator user);

  Users users_;  ///< Those with launches that wait or are busy.
  std::map<const Launch*, Running> running_;
  std::string served_;  ///< The user that had the last turn.
  std::size_t waiting_ = 0;
  std::size_t hanging_ = 0;
};

}  // namespace dunlin::node::warden
