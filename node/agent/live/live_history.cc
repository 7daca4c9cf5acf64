// SPDX-License-Identifier: MIT
#include "node/agent/live/live_history.h"

#include <cstddef>
#include <utility>

namespace dunlin::node {

Result<std::vector<ResultRow>> LiveHistory::results(const ResultQuery& query) {
  return parts_.records->store().history().results(query);
}

Result<std::vector<AttemptRow>> LiveHistory::attempts(
    const sched::JobId& job, std::uint32_t index) {
  return parts_.records->store().history().attempts(job, index);
}

Result<std::vector<AttemptRow>> LiveHistory::attempts_page(const AttemptQuery& query) {
  return parts_.records->store().history().attempts(query);
}

std::shared_ptr<const sched::Job> LiveHistory::record(const sched::JobId& id) {
  // One job is asked about many times in a row, page by page, and its record is read from the disk.
  if (id == recorded_job_) return recorded_;
  auto stored = parts_.records->store().history().job(id);
  // It may only have to come to the disk: the next one asks anew.
  if (!stored) return nullptr;
  std::size_t bytes = 0;
  for (const sched::TaskGroup& group : stored->groups) bytes += group.entries.text.size();
  recorded_job_ = id;
  recorded_ = bytes > kLinesKept ? nullptr : std::make_shared<const sched::Job>(std::move(*stored));
  return recorded_;
}

Result<std::vector<StoredUsage>> LiveHistory::usage(const UsageQuery& query) {
  return parts_.records->store().history().usage(query);
}

}  // namespace dunlin::node
