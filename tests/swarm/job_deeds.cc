// SPDX-License-Identifier: MIT
#include "tests/swarm/job_deeds.h"

#include "sched/peer_view.h"

namespace dunlin::test {

const sched::JobState* JobDeeds::find(const JobId& job) const {
  const std::size_t home = World::node_of(job.home);
  return world_.up(home) ? sched::frontend_of(world_.peer(home)).find(job) : nullptr;
}

void JobDeeds::carry_out(const Deed& deed, overlay::Rng& rng) {
  if (jobs_.empty()) return;
  const JobId id = jobs_[rng.index(jobs_.size())];
  const sched::JobState* const job = find(id);
  if (job == nullptr) return;
  const bool some = deed.kind == Deed::Kind::cancel_some;
  if (some || deed.kind == Deed::Kind::cancel) return cancel(*job, some, rng);
  if (deed.kind == Deed::Kind::retry) return retry(*job, rng);
  if (deed.kind == Deed::Kind::set) return set(*job, rng);
  hold(id, true);
  world_.at(world_.now() + deed.lasts, [this, id] { hold(id, false); });
}

void JobDeeds::cancel(const sched::JobState& job, bool some, overlay::Rng& rng) {
  std::vector<std::uint32_t> tasks;
  if (some) tasks.push_back(rng.below(job.task_count()));
  const JobId id = job.id();
  cancelled_.insert(id);
  if (!world_.cancel(World::node_of(id.home), id, tasks)) {
    world_.fail("a known job cannot be cancelled");
  }
}

void JobDeeds::release_all() {
  for (const JobId& job : jobs_) hold(job, false);
}

void JobDeeds::hold(const JobId& id, bool on) {
  const sched::JobState* const job = find(id);
  if (job == nullptr || job->finished()) return;
  const auto held = world_.change(World::node_of(id.home), id, {.held = on, .terms = {}});
  if (!held) world_.fail("a job cannot be held: " + held.error().text);
}

void JobDeeds::set(const sched::JobState& job, overlay::Rng& rng) {
  sched::JobChange change;
  change.terms.priority = static_cast<std::int16_t>(rng.below(101));
  if (rng.chance(0.5)) {
    change.terms.deadline = world_.now() - job.accepted() + std::chrono::seconds(30);
  }
  const auto set = world_.change(World::node_of(job.id().home), job.id(), change);
  if (!set) world_.fail("good terms cannot be set: " + set.error().text);
}

void JobDeeds::retry(const sched::JobState& job, overlay::Rng& rng) {
  std::vector<std::uint32_t> ended;
  for (std::uint32_t i = 0; i < job.task_count(); ++i) {
    if (sched::is_final(job.task(i).state) && rng.chance(0.5)) ended.push_back(i);
  }
  const std::size_t home = World::node_of(job.id().home);
  if (world_.store(home).job(job.id()) == nullptr) return;  // Its record is not on disk yet.
  const bool late = job.job().past_deadline == sched::PastDeadline::cancel;
  const auto retried = world_.retry(home, job.id(), ended);
  if (!retried && !late) world_.fail("no task can be retried: " + retried.error().text);
}

}  // namespace dunlin::test
