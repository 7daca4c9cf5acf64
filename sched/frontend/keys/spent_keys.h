// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sched/job.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// 64 bits of a key, from which it cannot be told: what is kept of it when its job is forgotten.
/// Stores keep them, so they must never be others.
std::uint64_t hash_of(const SubmitKey& key);

/// What is still known of a submission of a job that is forgotten.
struct SpentKey {
  std::uint64_t hash = 0;  ///< Of its key.
  JobId id;
  std::string owner;
  std::string name;
  std::uint32_t tasks = 0;  ///< 0: another node drove it, or would have: none knows if it ran.
  Time at{};                ///< When the job was forgotten. Of a stored one the driver says it.
  friend bool operator==(const SpentKey&, const SpentKey&) = default;
};

/// The keys of submissions of jobs that are forgotten: a client that never heard an answer says the
/// same again, perhaps after long, and the job must not run a second time. They are kept for a day,
/// or until there are too many; then the oldest of the user that has most of them goes first.
class SpentKeys {
 public:
  static constexpr Duration kKept = std::chrono::hours(24);
  /// After a restart, however old they are by the wall clock, which may be wrong.
  static constexpr Duration kRestoredKept = std::chrono::hours(1);
  static constexpr std::size_t kMax = 20'000;

  /// The job is forgotten. One without a key leaves nothing.
  void add(Time now, const Job& job);
  /// Those that an earlier life stored, the oldest first.
  void restore(Time now, std::vector<SpentKey> keys);
  /// Forgets those whose day is over.
  void expire(Time now);
  /// Null: no such key is known.
  const SpentKey* find(const SubmitKey& key) const;
  std::size_t size() const { return spent_.size(); }

 private:
  using OfUser =
      std::map<std::string, std::deque<std::uint64_t>>;  ///< In the order of their times.
  void add(SpentKey&& key);
  void drop_first(OfUser::iterator user);

  std::map<std::uint64_t, SpentKey> spent_;  ///< By their hashes.
  OfUser by_user_;
};

}  // namespace dunlin::sched
