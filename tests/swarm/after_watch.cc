// SPDX-License-Identifier: MIT
#include "tests/swarm/after_watch.h"

#include <algorithm>

namespace dunlin::test {

void AfterWatch::draw(
    sched::Job& job, const std::map<JobId, sched::Job, ById>& jobs, overlay::Rng& rng) {
  const std::uint32_t count = rng.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto other = deeds_.draw(rng);
    if (!other) return;
    const bool any = rng.chance(0.5);
    const auto same = [&](const sched::AfterJob& each) { return each.job == *other; };
    if (std::ranges::any_of(job.after_jobs, same)) continue;
    job.after_jobs.push_back({.job = *other,
        .any = any,
        .has_replicas = jobs.at(*other).replicas > 0,
        .address = World::endpoint_of(World::node_of(other->home)).address});
  }
}

void AfterWatch::add(const JobId& id, const sched::Job& job) {
  if (!job.after_jobs.empty()) waiting_[id] = job.after_jobs;
}

const std::vector<sched::AfterJob>& AfterWatch::waits_for(const JobId& job) const {
  static const std::vector<sched::AfterJob> kNone;
  const auto at = waiting_.find(job);
  return at == waiting_.end() ? kNone : at->second;
}

void AfterWatch::on_event(const sched::Event& event) {
  if (const auto* finished = std::get_if<sched::JobFinished>(&event)) ended_.insert(finished->job);
  const auto* const settled = std::get_if<sched::AfterSettled>(&event);
  if (settled != nullptr && !settled->met) deeds_.note_cancelled(settled->job);
  const auto* const bound = std::get_if<sched::TaskBound>(&event);
  if (bound == nullptr) return;
  for (const sched::AfterJob& each : waits_for(bound->job)) {
    if (!ended_.contains(each.job))
      world_.fail("a task starts before the job that it waits for ends");
  }
}

}  // namespace dunlin::test
