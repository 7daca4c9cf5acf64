// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "overlay/result.h"
#include "sched/job.h"

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

}  // namespace dunlin::sched::logs
