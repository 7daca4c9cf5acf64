// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sched/turn.h"

namespace dunlin::sched {

/// The workers that may hold tasks of a frontend. Which tasks is not stored, as that would cost a
/// disk write for each; which workers is, as that seldom changes. So a later life knows of whom it
/// has to hear before it hands out again what may still run somewhere.
class Holders {
 public:
  /// Workers stored at most; those beyond are not waited for.
  static constexpr std::size_t kMax = 4096;
  /// One that has had no task for so long is forgotten.
  static constexpr Duration kIdle = std::chrono::minutes(1);
  /// Those that are silent are asked for a word so often.
  static constexpr Duration kAskAgain = std::chrono::seconds(1);

  /// The worker is about to get a task, or has some and says that it may be silent for `away`
  /// longer than a lease. Stores what is new of it: call it before the task leaves.
  void note(Turn& turn, const Endpoint& worker, Duration away = {});
  /// `busy` have tasks now. Forgets those that have had none for long.
  void tidy(Turn& turn, const std::set<PeerId>& busy);

  /// Takes over those that an earlier life stored, and waits for each until `lease` has passed and
  /// the time that it said to be away.
  void restore(std::span<const StoredHolder> holders, Time now, Duration lease);
  /// The worker said something. It confirms its tasks within `soon`, if it has any: then it is
  /// waited for no more.
  void hear(PeerId worker, Time now, Duration soon);
  /// It is known to be gone, and waited for no more.
  void give_up(PeerId worker) { awaited_.erase(worker); }
  /// The time until which those that are waited for may speak; nothing: there are none.
  std::optional<Time> awaited_until(Time now);
  /// Asks those that have not spoken for a word. Returns those of them that should have by now:
  /// that did not say that they would be away, and are silent since before `since`.
  std::vector<Endpoint> ask_silent(Turn& turn, Time since);

 private:
  struct Known {
    Endpoint worker;
    Duration away{0};
    Time used{};  ///< When it last got a task, or had one.
  };
  struct Awaited {
    Time begun{};
    Time until{};
    bool spoke = false;
  };

  std::map<PeerId, Known> known_;
  std::map<PeerId, Awaited> awaited_;  ///< Of an earlier life.
  Time asked_at_{};
};

}  // namespace dunlin::sched
