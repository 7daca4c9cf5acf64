// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/kernel.h"
#include "sched/replica/job_copies.h"
#include "sched/replica/log.h"

namespace dunlin::sched::logs {

/// The jobs of which a log has all.
struct CopiedJobs {
  std::vector<std::uint32_t> numbers;  ///< Ascending.
  std::int64_t submitted_at = 0;       ///< The latest Job::submitted_at of them; 0: none says.

  bool has(std::uint32_t number) const;
  /// The highest number; 0: there is no job.
  std::uint32_t last() const { return numbers.empty() ? 0 : numbers.back(); }
};

/// What the records of a log make, up to the first that makes no sense.
replica::JobCopies copies_of(const replica::Log& log);
CopiedJobs copied_jobs(const replica::Log& log);

/// The jobs in a log, looked for again only when it has changed, and once a second at most: a log
/// may have megabytes, and any node may ask for its jobs.
class JobsLook {
 public:
  /// The jobs as of the last look, which may be now.
  const CopiedJobs& jobs(Time now, const replica::Log& log);
  /// True if that look saw the log as it is.
  bool is_current(const replica::Log& log) const { return seen_ == log.mark(log.end()); }

 private:
  std::optional<Time> at_;  ///< The time of the last look.
  replica::Mark seen_;      ///< The end of the log then.
  CopiedJobs jobs_;
};

}  // namespace dunlin::sched::logs
