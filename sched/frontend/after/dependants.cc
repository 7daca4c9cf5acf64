// SPDX-License-Identifier: MIT
#include "sched/frontend/after/dependants.h"

#include <cstddef>
#include <utility>

namespace dunlin::sched {

void Dependants::update(const JobState& job) {
  const std::vector<AfterJob>& after = job.job().after_jobs;
  if (after.empty()) return;  // Then it never waited: what a job waits for is said at its submit.
  const std::uint32_t number = job.id().number;
  std::uint32_t open = 0;
  if (!job.finished()) {
    for_each_awaited(job, [&](std::size_t i, const AfterJob&) { open |= std::uint32_t{1} << i; });
  }
  const auto known = open_.find(number);
  const std::uint32_t before = known == open_.end() ? 0 : known->second;
  if (open == before) return;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool waits = (open >> i & 1) != 0;
    if (waits == ((before >> i & 1) != 0)) continue;
    const Wait wait{number, static_cast<std::uint32_t>(i)};
    waits ? add(after[i].job, wait) : remove(after[i].job, wait);
  }
  if (open == 0) {
    open_.erase(known);
  } else {
    open_[number] = open;
  }
}

void Dependants::add(const JobId& awaited, const Wait& wait) {
  std::set<Wait>& waits = waits_[awaited];
  if (waits.empty()) news_.push_back(awaited);
  waits.insert(wait);
}

void Dependants::remove(const JobId& awaited, const Wait& wait) {
  const auto found = waits_.find(awaited);
  found->second.erase(wait);
  if (!found->second.empty()) return;
  waits_.erase(found);
  news_.push_back(awaited);
}

const std::set<Dependants::Wait>& Dependants::of(const JobId& awaited) const {
  static const std::set<Wait> none;
  const auto found = waits_.find(awaited);
  return found == waits_.end() ? none : found->second;
}

std::vector<JobId> Dependants::take_news() {
  return std::exchange(news_, {});
}

}  // namespace dunlin::sched
