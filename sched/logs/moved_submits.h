// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "overlay/result.h"
#include "sched/job.h"
#include "sched/kernel.h"

namespace dunlin::sched {
struct SpentKey;
namespace replica {
class JobCopies;
class Log;
}  // namespace replica
}  // namespace dunlin::sched

namespace dunlin::sched::logs {

/// A job that this node took, and that another node drives by now.
struct MovedSubmit {
  JobId id;
  std::string owner;
  std::string name;
  std::uint32_t tasks = 0;
};
/// Its id, if `again` is the same submission.
inline Result<JobId> submitted_before(const MovedSubmit& said, const Job& again) {
  const bool same =
      said.owner == again.owner && said.name == again.name && said.tasks == again.task_count();
  if (same) return said.id;
  return failure(ErrorKind::conflict,
      "the key of this submission is that of job " + std::to_string(said.id.number) +
          ", which is another: draw one for each");
}
/// By the keys of their submissions: whoever says one again here means that job.
using MovedSubmits = std::map<SubmitKey, MovedSubmit>;

/// The submissions of jobs of a log, also of those that it has forgotten: said again, each of them
/// is the same job.
MovedSubmits submissions_of(const replica::JobCopies& copies);
/// What a frontend keeps of one of them, at a job that is forgotten, as of `now`.
SpentKey spent_key(const SubmitKey& key, const MovedSubmit& said, Time now);
/// The epoch in which the last records of a log were written; 0 if there are none.
std::uint32_t last_epoch(const replica::Log& log);

/// The jobs of a log of this node that another node drives, as far as they have keys, by what this
/// node's copy has. An old log takes no new jobs.
class MovedJobs {
 public:
  /// Looks at the log, whose home is of this epoch, unless it has done so.
  void note(const replica::Log& log, std::uint32_t epoch);
  const MovedSubmits& submits() const { return submits_; }
  /// Each of them is one that the present home has. Until the copy has heard of that one's log, the
  /// last may be jobs of which no standby had heard when this node died.
  bool is_sure() const { return sure_; }

 private:
  MovedSubmits submits_;
  std::uint32_t epoch_ = 0;  ///< They are by the copy as it was under a home of this epoch.
  bool sure_ = false;
};

}  // namespace dunlin::sched::logs
