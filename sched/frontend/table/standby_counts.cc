// SPDX-License-Identifier: MIT
#include "sched/frontend/table/standby_counts.h"

namespace dunlin::sched {
namespace {

void count_one(StandbyCounts::Counts& counts, std::uint8_t said) {
  if (said > 0) ++counts[said];
}

void discount_one(StandbyCounts::Counts& counts, std::uint8_t said) {
  if (said == 0) return;
  const auto at = counts.find(said);
  if (--at->second == 0) counts.erase(at);
}

}  // namespace

void StandbyCounts::update(const JobState& job) {
  const Said said{.replicas = job.job().replicas,
      .required = job.job().replicas_required,
      .active = !job.finished()};
  if (said.replicas == 0 && said.required == 0) return;  // It never says another number.
  const auto [known, is_new] = jobs_.try_emplace(job.id().number, said);
  if (!is_new) {
    if (known->second == said) return;
    remove(known->second);
    known->second = said;
  }
  add(said);
}

void StandbyCounts::forget(std::uint32_t number) {
  const auto known = jobs_.find(number);
  if (known == jobs_.end()) return;
  remove(known->second);
  jobs_.erase(known);
}

void StandbyCounts::add(const Said& said) {
  count_one(replicas_, said.replicas);
  count_one(required_, said.required);
  if (said.active) count_one(required_by_active_, said.required);
}

void StandbyCounts::remove(const Said& said) {
  discount_one(replicas_, said.replicas);
  discount_one(required_, said.required);
  if (said.active) discount_one(required_by_active_, said.required);
}

std::uint8_t max_of(const StandbyCounts::Counts& counts) {
  return counts.empty() ? std::uint8_t{0} : counts.rbegin()->first;
}

}  // namespace dunlin::sched
