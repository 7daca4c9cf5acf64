// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sched/logs/shelter.h"

namespace dunlin::sched {
struct Job;
}
namespace dunlin::sched::replica {
class Copy;
}

namespace dunlin::sched::logs {

class HeldOffice;

/// The number of standbys that the jobs of a log want, and the number that they require before
/// anything is told. The log has one set of standbys for all its jobs, so the most that any of them
/// says counts.
class StandbyWish {
 public:
  /// A job joins: at once, before any word of it may leave.
  void add(replica::Copy& copy, const Job& job);
  /// As the jobs that have not ended want it. `told`: nothing of the log waits for standbys any
  /// more. Requires that the copy is the home.
  void follow(replica::Copy& copy, const HeldOffice& office, const Site& site, bool told);
  std::size_t required() const { return required_; }

 private:
  std::size_t standbys_ = 0;
  std::size_t required_ = 0;
};

}  // namespace dunlin::sched::logs
