// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// Which node drives the jobs of a log, as far as a worker knows: the home of the highest epoch
/// that it heard of. Bounded: the log that it heard of last of all is forgotten first.
class LogHomes {
 public:
  static constexpr std::size_t kMax = 256;

  /// True if that is news, and what is for the log's home goes to `home` from now on.
  bool learn(std::uint64_t log, std::uint32_t epoch, const Endpoint& home) {
    if (log == 0) return false;
    const auto known = std::ranges::find(homes_, log, &Home::log);
    if (known == homes_.end()) {
      if (homes_.size() == kMax) homes_.erase(homes_.begin());
      homes_.push_back({log, epoch, home});
      return true;
    }
    if (epoch <= known->epoch) return false;
    *known = {log, epoch, home};
    return true;
  }
  /// True if the node drives any log.
  bool has_home(PeerId node) const {
    return std::ranges::any_of(homes_, [&](const Home& each) { return each.home.id == node; });
  }
  /// The home of a log; nullptr if none was heard of.
  const Endpoint* find(std::uint64_t log) const {
    const auto known = std::ranges::find(homes_, log, &Home::log);
    return known == homes_.end() ? nullptr : &known->home;
  }
  /// True if that is a word of a home that was there before the one that is known.
  bool is_old(std::uint64_t log, std::uint32_t epoch) const {
    const auto known = std::ranges::find(homes_, log, &Home::log);
    return known != homes_.end() && epoch < known->epoch;
  }

 private:
  struct Home {
    std::uint64_t log = 0;
    std::uint32_t epoch = 0;
    Endpoint home;
  };

  std::vector<Home> homes_;
};

}  // namespace dunlin::sched
