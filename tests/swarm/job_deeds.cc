// SPDX-License-Identifier: MIT
#include "tests/swarm/job_deeds.h"

#include "sched/peer_view.h"

namespace dunlin::test {

std::optional<JobId> JobDeeds::draw(overlay::Rng& rng) const {
  if (jobs_.empty()) return std::nullopt;
  return jobs_[rng.index(jobs_.size())];
}

std::optional<std::size_t> JobDeeds::home(const JobId& job) const {
  const auto drives = [&](std::size_t node) {
    return world_.up(node) && sched::find_job(world_.peer(node), job) != nullptr;
  };
  const std::size_t origin = World::node_of(job.home);
  if (drives(origin)) return origin;
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (drives(node)) return node;
  }
  return std::nullopt;
}

const sched::JobState* JobDeeds::find(const JobId& job) const {
  const auto node = home(job);
  return node ? sched::find_job(world_.peer(*node), job) : nullptr;
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
  if (deed.kind == Deed::Kind::requeue) return requeue(*job, rng);
  hold(id, true);
  world_.at(world_.now() + deed.lasts, [this, id] { hold(id, false); });
}

void JobDeeds::cancel(const sched::JobState& job, bool some, overlay::Rng& rng) {
  std::vector<std::uint32_t> tasks;
  if (some) tasks.push_back(rng.below(job.task_count()));
  const JobId id = job.id();
  cancelled_.insert(id);
  if (!world_.cancel(*home(id), id, tasks)) {
    world_.fail("a known job cannot be cancelled");
  }
}

void JobDeeds::release_all() {
  for (const JobId& job : jobs_) hold(job, false);
}

void JobDeeds::hold(const JobId& id, bool on) {
  const sched::JobState* const job = find(id);
  if (job == nullptr || job->finished()) return;
  const auto held = world_.change(*home(id), id, {.held = on, .terms = {}});
  if (!held) world_.fail("a job cannot be held: " + held.error().text);
}

void JobDeeds::set(const sched::JobState& job, overlay::Rng& rng) {
  sched::JobChange change;
  change.terms.priority = static_cast<std::int16_t>(rng.below(101));
  if (rng.chance(0.5)) {
    change.terms.deadline = world_.now() - job.accepted() + std::chrono::seconds(30);
  }
  const auto set = world_.change(*home(job.id()), job.id(), change);
  if (!set) world_.fail("good terms cannot be set: " + set.error().text);
}

void JobDeeds::retry(const sched::JobState& job, overlay::Rng& rng) {
  if (job.runs_once()) return;
  std::vector<std::uint32_t> ended;
  for (std::uint32_t i = 0; i < job.task_count(); ++i) {
    // A task that waits in vain for another stage cannot be.
    const bool may = !job.stages().is_missed(job.group_of(i));
    if (sched::is_final(job.task(i).state) && rng.chance(0.5) && may) ended.push_back(i);
  }
  const std::size_t node = *home(job.id());
  if (world_.store(node).job(job.id()) == nullptr) return;  // Its record is not on disk yet.
  retried_.insert(job.id());
  const bool late = job.job().past_deadline == sched::PastDeadline::cancel;
  const auto retried = world_.retry(node, job.id(), ended);
  if (!retried && !late) world_.fail("no task can be retried: " + retried.error().text);
}

void JobDeeds::requeue(const sched::JobState& job, overlay::Rng& rng) {
  if (job.runs_once()) return;
  std::vector<std::uint32_t> running;
  for (const auto& [index, binding] : job.bindings()) {
    if (job.task(index).state == sched::TaskState::launched && rng.chance(0.5)) {
      running.push_back(index);
    }
  }
  if (running.empty()) return;
  const auto count = world_.requeue(*home(job.id()), job.id(), running);
  if (!count || *count != running.size()) world_.fail("tasks that run cannot be requeued");
}

}  // namespace dunlin::test
