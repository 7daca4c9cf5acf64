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
  // By the bits that differ: g++ 12 compares two bits of one place wrongly at -O2.
  const std::uint32_t changed = open ^ before;
  if (changed == 0) return;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::uint32_t bit = std::uint32_t{1} << i;
    if ((changed & bit) == 0) continue;
    const Wait wait{number, static_cast<std::uint32_t>(i)};
    for (Waits* const waits : {&waits_, after[i].begun_for ? &begins_ : nullptr}) {
      if (waits == nullptr) continue;
      if ((open & bit) != 0) {
        add(*waits, after[i].job, wait);
      } else {
        remove(*waits, after[i].job, wait);
      }
    }
  }
  if (open == 0) {
    open_.erase(known);
  } else {
    open_[number] = open;
  }
}

void Dependants::add(Waits& to, const JobId& awaited, const Wait& wait) {
  std::set<Wait>& waits = to[awaited];
  if (waits.empty()) news_.push_back(awaited);
  waits.insert(wait);
}

void Dependants::remove(Waits& from, const JobId& awaited, const Wait& wait) {
  const auto found = from.find(awaited);
  found->second.erase(wait);
  if (!found->second.empty()) return;
  from.erase(found);
  news_.push_back(awaited);
}

const std::set<Dependants::Wait>& Dependants::found(const Waits& waits, const JobId& awaited) {
  static const std::set<Wait> none;
  const auto at = waits.find(awaited);
  return at == waits.end() ? none : at->second;
}

const std::set<Dependants::Wait>& Dependants::of(const JobId& awaited) const {
  return found(waits_, awaited);
}

const std::set<Dependants::Wait>& Dependants::begin_of(const JobId& awaited) const {
  return found(begins_, awaited);
}

std::vector<JobId> Dependants::take_news() {
  return std::exchange(news_, {});
}

}  // namespace dunlin::sched
