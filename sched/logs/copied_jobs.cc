// SPDX-License-Identifier: MIT
#include "sched/logs/copied_jobs.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace dunlin::sched::logs {
namespace {

constexpr Duration kJobsLookAgain = std::chrono::seconds(1);

}  // namespace

bool CopiedJobs::has(std::uint32_t number) const {
  return std::ranges::binary_search(numbers, number);
}

replica::JobCopies copies_of(const replica::Log& log) {
  replica::JobCopies copies;
  for (std::uint64_t i = 1; i <= log.end(); ++i) {
    const std::string& records = log.at(i).records;
    if (!records.empty() && !copies.apply(records)) break;
  }
  return copies;
}

CopiedJobs copied_jobs(const replica::Log& log) {
  CopiedJobs found;
  for (const StoredJob& stored : copies_of(log).jobs()) {
    found.numbers.push_back(stored.job.id.number);
    found.submitted_at = std::max(found.submitted_at, stored.job.submitted_at);
  }
  std::ranges::sort(found.numbers);
  return found;
}

const CopiedJobs& JobsLook::jobs(Time now, const replica::Log& log) {
  const bool is_due = !at_ || now - *at_ >= kJobsLookAgain;
  if (is_due && !(at_ && is_current(log))) {
    jobs_ = copied_jobs(log);
    seen_ = log.mark(log.end());
    at_ = now;
  }
  return jobs_;
}

}  // namespace dunlin::sched::logs
