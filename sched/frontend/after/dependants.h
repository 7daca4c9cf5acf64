// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// Which jobs of a frontend wait for which others, by what update() found last: an index from the
/// job that is awaited, so that news of it cost what they concern. There may be a hundred thousand
/// jobs that wait.
class Dependants {
 public:
  /// One of Job::after_jobs of a job here, for which that still waits.
  struct Wait {
    std::uint32_t job = 0;    ///< The number of the job that waits.
    std::uint32_t place = 0;  ///< Among its after_jobs.
    friend auto operator<=>(const Wait&, const Wait&) = default;
  };
  /// By the job that is awaited; none of the sets is empty.
  using Waits = std::map<JobId, std::set<Wait>>;

  /// Takes the place of what was known of the job. One that has finished waits for nothing.
  void update(const JobState& job);

  const Waits& all() const { return waits_; }
  /// Those that wait for that job, ascending by number; none if it is not awaited.
  const std::set<Wait>& of(const JobId& awaited) const;
  /// Likewise, but of those that wait for it to begin: see AfterJob::begun_for.
  const std::set<Wait>& begin_of(const JobId& awaited) const;
  /// The jobs that came to be awaited, or their begin, or ceased to be, since the last call; some
  /// of them twice.
  std::vector<JobId> take_news();

  /// Without the news.
  friend bool operator==(const Dependants& a, const Dependants& b) {
    return a.waits_ == b.waits_ && a.begins_ == b.begins_ && a.open_ == b.open_;
  }

 private:
  void add(Waits& to, const JobId& awaited, const Wait& wait);
  void remove(Waits& from, const JobId& awaited, const Wait& wait);
  static const std::set<Wait>& found(const Waits& waits, const JobId& awaited);

  Waits waits_;
  Waits begins_;  ///< Those of them that wait for the begin alone.
  /// The places that wait, as bits, of each job that has any, by number.
  std::map<std::uint32_t, std::uint32_t> open_;
  std::vector<JobId> news_;
};

}  // namespace dunlin::sched
