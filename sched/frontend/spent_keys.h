// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "sched/job.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The keys of submissions whose jobs are forgotten: a client that never heard an answer says the
/// same again, perhaps after long, and the job must not run a second time. They are kept for a day,
/// or until there are too many; then the oldest of the user that has most of them goes first.
class SpentKeys {
 public:
  static constexpr Duration kKept = std::chrono::hours(24);
  static constexpr std::size_t kMax = 20'000;

  /// What is still known of the job.
  struct Spent {
    JobId id;
    std::string owner;
    std::string name;
    std::uint32_t tasks = 0;
    Time until{};
  };

  /// The job is forgotten. One without a key leaves nothing.
  void add(Time now, const Job& job);
  /// Forgets those whose day is over.
  void expire(Time now);
  /// Null: no such key is known.
  const Spent* find(const SubmitKey& key) const;
  std::size_t size() const { return spent_.size(); }

 private:
  using OfUser = std::map<std::string, std::deque<SubmitKey>>;  ///< In the order of their times.
  void drop_first(OfUser::iterator user);

  std::map<SubmitKey, Spent> spent_;
  OfUser by_user_;
};

}  // namespace dunlin::sched
