// SPDX-License-Identifier: MIT
#include "tests/swarm/after_watch.h"

#include <algorithm>

#include "sched/peer_view.h"
#include "tests/swarm/replica_watch.h"

namespace dunlin::test {

void AfterWatch::draw(sched::Job& job, std::size_t node, overlay::Rng& rng) const {
  const std::uint32_t count = rng.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto other = deeds_.draw(rng);
    if (!other) return;
    const bool any = rng.chance(0.5);
    const bool has_replicas = jobs_.at(*other).replicas > 0;
    const auto same = [&](const sched::AfterJob& each) { return each.job == *other; };
    if (std::ranges::any_of(job.after_jobs, same)) continue;
    // A node refuses at once to wait for a job of its own that it does not have.
    const bool ours = World::node_of(other->home) == node && !has_replicas;
    if (ours && sched::find_job(world_.peer(node), *other) == nullptr) continue;
    job.after_jobs.push_back({.job = *other,
        .any = any,
        .has_replicas = has_replicas,
        .address = World::endpoint_of(World::node_of(other->home)).address});
  }
}

const std::vector<sched::AfterJob>& AfterWatch::waits_for(const JobId& job) const {
  static const std::vector<sched::AfterJob> none;
  const auto at = jobs_.find(job);
  return at == jobs_.end() ? none : at->second.after_jobs;
}

void AfterWatch::on_event(const sched::Event& event) {
  if (const auto* const finished = std::get_if<sched::JobFinished>(&event)) {
    const bool well = finished->failed + finished->cancelled == 0;
    (well ? ended_well_ : ended_badly_).insert(finished->job);
  } else if (const auto* const settled = std::get_if<sched::AfterSettled>(&event)) {
    if (settled->met) return;
    deeds_.note_cancelled(settled->job);
    check_missed(*settled);
  } else if (const auto* const bound = std::get_if<sched::TaskBound>(&event)) {
    const auto& waits = waits_for(bound->job);
    if (!waits.empty()) ++bound_;
    for (const sched::AfterJob& each : waits) check_bound(bound->job, each);
  }
}

// The home of a job says of one that it does not have that it ended somehow.
void AfterWatch::check_bound(const JobId& job, const sched::AfterJob& after) const {
  const JobId& other = after.job;
  const std::string which = text_of(job) + " after " + text_of(other);
  const bool well = ended_well_.contains(other);
  const bool vanished = !after.has_replicas && is_gone(other);
  if (!well && !ended_badly_.contains(other)) {
    if (after.any && vanished) return;
    // Then it was cancelled.
    if ((after.any || after.failed) && ended_unsaid(other)) return;
    if (after.any || !deeds_.is_retried(job)) world_.fail("a task starts too early: " + which);
  } else if (after.failed && !ended_badly_.contains(other) && !ended_unsaid(other)) {
    if (!deeds_.is_retried(job)) world_.fail("a task starts though no job failed: " + which);
  } else if (!after.any && !after.failed && !well && !deeds_.is_retried(job)) {
    world_.fail("a task starts though the job before it failed: " + which);
  } else if (!after.has_replicas && !vanished && !keeps_results(other)) {
    world_.fail("a task starts before the end of another job is durable: " + which);
  }
}

// One that was retried may have ended well before, and one that is gone is known to no node.
void AfterWatch::check_missed(const sched::AfterSettled& settled) const {
  for (const sched::AfterJob& after : waits_for(settled.job)) {
    if (!(after.job == settled.after)) continue;
    const bool vanished = !after.has_replicas && is_gone(after.job);
    const bool badly = ended_badly_.contains(after.job) || deeds_.is_cancelled(after.job);
    const bool otherwise = after.failed ? ended_well_.contains(after.job) : badly;
    if (!after.any && (vanished || otherwise)) continue;
    world_.fail(
        "cancelled without a cause: " + text_of(settled.job) + " after " + text_of(after.job));
  }
}

bool AfterWatch::ended_unsaid(const JobId& job) const {
  if (!deeds_.is_cancelled(job)) return false;
  bool is_driven = false;
  for (std::size_t node = 0; node < world_.size(); ++node) {
    const auto* const state = world_.up(node) ? sched::find_job(world_.peer(node), job) : nullptr;
    if (state != nullptr && state->finished()) return true;
    is_driven = is_driven || state != nullptr;
  }
  return !is_driven;
}

bool AfterWatch::is_gone(const JobId& job) const {
  if (is_lost_(job)) return true;
  return std::ranges::count(world_.acknowledged(), job) == 0 && !deeds_.home(job);
}

bool AfterWatch::keeps_results(const JobId& job) const {
  if (deeds_.is_cancelled(job) || deeds_.is_retried(job) || deeds_.has_missed(job)) return true;
  std::uint32_t count = 0;
  for (const sched::TaskGroup& group : jobs_.at(job).groups) count += group.count;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (world_.store(World::node_of(job.home)).result(job, i) == nullptr) return false;
  }
  return true;
}

bool AfterWatch::is_stuck(const JobId& job) const {
  const auto node = deeds_.home(job);
  if (!node) return false;
  const sched::JobState& state = *sched::find_job(world_.peer(*node), job);
  bool stuck = false;
  if (state.finished()) return stuck;
  sched::for_each_awaited(state, [&](std::size_t, const sched::AfterJob& after) {
    stuck = stuck || (after.has_replicas && is_gone(after.job)) || is_stuck(after.job);
  });
  return stuck;
}

std::string AfterWatch::describe(const JobId& job) const {
  std::string text;
  const auto node = deeds_.home(job);
  if (!node) return text;
  sched::for_each_awaited(
      *sched::find_job(world_.peer(*node), job), [&](std::size_t, const sched::AfterJob& after) {
        const auto other = deeds_.home(after.job);
        text += " after " + text_of(after.job) + (after.has_replicas ? " with replicas" : "") +
            (other ? " at node " + std::to_string(*other + 1) : " without a home") + ",";
      });
  return text;
}

}  // namespace dunlin::test
