// SPDX-License-Identifier: MIT
#include "tests/swarm/stage_watch.h"

#include <algorithm>
#include <variant>

#include "sched/peer_view.h"
#include "tests/swarm/replica_watch.h"

namespace dunlin::test {
namespace {

std::uint32_t first_of(const sched::Job& job, std::uint16_t group) {
  std::uint32_t first = 0;
  for (std::uint16_t i = 0; i < group; ++i) first += job.groups[i].count;
  return first;
}

std::uint16_t group_of(const sched::Job& job, std::uint32_t index) {
  std::uint16_t group = 0;
  while (index >= first_of(job, group) + job.groups[group].count) ++group;
  return group;
}

}  // namespace

// Half of them wait for groups that come later in the job.
void StageWatch::draw(sched::Job& job, overlay::Rng& rng) {
  const auto count = static_cast<std::uint16_t>(job.groups.size());
  const bool backwards = rng.chance(0.5);
  for (std::uint16_t group = 0; group < count; ++group) {
    for (std::uint16_t other = 0; other < count; ++other) {
      const bool may = backwards ? other > group : other < group;
      if (may && rng.chance(0.7)) job.groups[group].after.push_back(other);
    }
  }
}

void StageWatch::for_each_before(const JobId& id, std::uint32_t index, auto&& act) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || deeds_.is_retried(id)) return;
  const sched::Job& job = found->second;
  for (const std::uint16_t before : job.groups[group_of(job, index)].after) {
    const std::uint32_t first = first_of(job, before);
    for (std::uint32_t i = 0; i < job.groups[before].count; ++i) act(first + i);
  }
}

void StageWatch::on_event(std::size_t node, const sched::Event& event) {
  if (const auto* const bound = std::get_if<sched::TaskBound>(&event)) {
    check_handed_out(node, bound->job, bound->index);
  } else if (const auto* const launched = std::get_if<sched::TaskLaunched>(&event)) {
    check_handed_out(node, launched->job, launched->index);
  } else if (const auto* const started = std::get_if<sched::TaskStarted>(&event)) {
    check_started(started->job, started->index);
  } else if (const auto* const settled = std::get_if<sched::StageSettled>(&event)) {
    if (!settled->met) deeds_.note_missed(settled->job);
  }
}

void StageWatch::check_handed_out(std::size_t node, const JobId& job, std::uint32_t index) const {
  const sched::JobState* const state = sched::find_job(world_.peer(node), job);
  if (state == nullptr) return;
  bool early = false;
  for_each_before(job, index, [&](std::uint32_t before) {
    early = early || state->task(before).state != sched::TaskState::succeeded;
  });
  if (early) {
    world_.fail("task " + std::to_string(index) + " of " + text_of(job) + " is handed out early");
  }
}

// Of a job with replicas any disk may have the records.
void StageWatch::check_started(const JobId& job, std::uint32_t index) {
  if (is_lost_(job)) return;
  const MemoryStore& store = world_.store(World::node_of(job.home));
  bool waited = false;
  bool early = false;
  for_each_before(job, index, [&](std::uint32_t before) {
    waited = true;
    const sched::Report* const result = store.result(job, before);
    const bool durable = result != nullptr && sched::is_success(*result);
    early = early || (!durable && jobs_.at(job).replicas == 0);
  });
  started_ += waited ? 1 : 0;
  if (early) {
    world_.fail("task " + std::to_string(index) + " of " + text_of(job) + " starts early");
  }
}

bool StageWatch::may_be_cancelled(
    const MemoryStore& store, const JobId& id, std::uint16_t group) const {
  const sched::Job& job = jobs_.at(id);
  if (deeds_.is_retried(id)) return !job.groups[group].after.empty();
  return std::ranges::any_of(job.groups[group].after, [&](std::uint16_t before) {
    const std::uint32_t first = first_of(job, before);
    for (std::uint32_t i = first; i < first + job.groups[before].count; ++i) {
      const sched::Report* const result = store.result(id, i);
      if (result != nullptr && !sched::is_success(*result)) return true;
    }
    return may_be_cancelled(store, id, before);
  });
}

}  // namespace dunlin::test
