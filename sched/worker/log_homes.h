// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sched/kernel.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Which node drives the jobs of a log, and which may come after it, as far as a worker knows: the
/// home of the highest epoch that it heard of. Bounded: the log that it heard of last of all is
/// forgotten first.
class LogHomes {
 public:
  static constexpr std::size_t kMax = 256;

  struct Home {
    Endpoint node;
    TaskLog log;  ///< Which one, in which epoch, and the standbys.
  };

  /// True if that is news: of a later epoch, or of a later set in this one.
  bool learn(const TaskLog& log, const Endpoint& home) {
    if (log.log == 0) return false;
    Home* const known = place_of(log.log);
    if (known == nullptr) {
      if (homes_.size() == kMax) homes_.erase(homes_.begin());
      homes_.push_back({home, log});
      return true;
    }
    if (std::tie(log.epoch, log.version) <= std::tie(known->log.epoch, known->log.version)) {
      return false;
    }
    *known = {home, log};
    return true;
  }
  /// True if the node drives any log.
  bool has_home(PeerId node) const {
    return std::ranges::any_of(homes_, [&](const Home& each) { return each.node.id == node; });
  }
  /// Nullptr if no home of that log was heard of.
  const Home* find(std::uint64_t log) const {
    const auto known = std::ranges::find(homes_, log, of_log);
    return known == homes_.end() ? nullptr : &*known;
  }
  /// True if that is a word of a home that was there before the one that is known.
  bool is_old(std::uint64_t log, std::uint32_t epoch) const {
    const Home* const known = find(log);
    return known != nullptr && epoch < known->log.epoch;
  }

 private:
  static std::uint64_t of_log(const Home& home) { return home.log.log; }
  Home* place_of(std::uint64_t log) {
    const auto known = std::ranges::find(homes_, log, of_log);
    return known == homes_.end() ? nullptr : &*known;
  }

  std::vector<Home> homes_;
};

}  // namespace dunlin::sched
