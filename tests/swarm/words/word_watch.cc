// SPDX-License-Identifier: MIT
#include "tests/swarm/words/word_watch.h"

#include <algorithm>
#include <variant>

#include "sched/peer_view.h"
#include "tests/swarm/replica_watch.h"

namespace dunlin::test {
namespace {

/// A task, whichever attempt.
sched::AttemptKey task_key(const JobId& job, std::uint32_t index) {
  return sched::key_of({.job = job, .index = index}, 0);
}

}  // namespace

void WordWatch::draw(sched::Job& job, overlay::Rng& rng) {
  if (rng.chance(0.3)) job.comment = "drawn";
  if (rng.chance(0.4)) job.labels = {{.key = "team", .value = rng.chance(0.5) ? "a" : "b"}};
  if (rng.chance(0.3)) job.begin = std::chrono::milliseconds(1 + rng.below(30'000));
  if (job.begin && job.deadline && *job.deadline <= *job.begin) job.begin.reset();
  for (sched::AfterJob& after : job.after_jobs) after.failed = !after.any && rng.chance(0.3);
  // A gang that is torn apart would never be whole again.
  const bool gang = std::ranges::any_of(job.groups, &sched::TaskGroup::gang);
  if (gang || rng.chance(0.6)) return;
  job.rerun = sched::Rerun::never;
  job.on_preempt = sched::OnPreempt::never;
  for (sched::TaskGroup& group : job.groups) group.retries = 0;
}

void WordWatch::on_event(const sched::Event& event) {
  if (const auto* const bound = std::get_if<sched::TaskBound>(&event)) {
    check_begin(*bound);
  } else if (const auto* const started = std::get_if<sched::TaskStarted>(&event)) {
    check_once(*started);
  } else if (const auto* const ended = std::get_if<sched::TaskEnded>(&event)) {
    const bool unstarted = ended->outcome == sched::Outcome::spawn_failed && !ended->final;
    if (unstarted) begun_[task_key(ended->job, ended->index)].erase(ended->attempt);
  }
}

bool WordWatch::runs_once(const JobId& job) const {
  const auto found = jobs_.find(job);
  return found != jobs_.end() && found->second.rerun == sched::Rerun::never;
}

void WordWatch::check_begin(const sched::TaskBound& bound) const {
  const auto submitted = submitted_.find(bound.job);
  const auto job = jobs_.find(bound.job);
  if (submitted == submitted_.end() || job == jobs_.end() || !job->second.begin) return;
  if (world_.now() >= submitted->second + *job->second.begin) return;
  world_.fail("a task is handed out before its job begins: " + text_of(bound.job));
}

void WordWatch::check_once(const sched::TaskStarted& started) {
  if (!runs_once(started.job)) return;
  auto& attempts = begun_[task_key(started.job, started.index)];
  if (attempts.empty()) {
    attempts.insert(started.attempt);
    return;
  }
  world_.fail("task " + std::to_string(started.index) + " of " + text_of(started.job) +
      " begins twice, though none of its job may");
}

void WordWatch::conclude() const {
  if (!world_.failure().empty()) return;
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (!world_.up(node)) continue;
    for (const sched::JobState* const state : sched::jobs_of(world_.peer(node))) {
      const auto submitted = jobs_.find(state->id());
      if (submitted == jobs_.end()) continue;
      const sched::Job& was = submitted->second;
      const sched::Job& is = state->job();
      const bool same = is.comment == was.comment && is.labels == was.labels &&
          is.begin == was.begin && is.rerun == was.rerun;
      if (!same) return world_.fail("words of job " + text_of(state->id()) + " are lost");
    }
  }
}

}  // namespace dunlin::test
