// SPDX-License-Identifier: MIT
#include "tests/swarm/idle/idle_watch.h"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "tests/support/builders.h"

namespace dunlin::test {
namespace {

/// An answer travels, and what it names starts. One that is lost comes again.
constexpr Duration kStartsWithin = std::chrono::seconds(8);
/// After each spell so many jobs come.
constexpr int kJobs = 4;

sched::Job draw_small_job(overlay::Rng& rng) {
  sched::TaskGroup group =
      tasks(1 + rng.below(4), lasting(std::chrono::milliseconds(1 + rng.below(300))));
  group.demand = {.cpu = 1, .memory = 1, .custom = {}};
  sched::Job job = job_of(std::move(group));
  job.name = "idle";
  return job;
}

}  // namespace

void IdleWatch::on_event(const sched::Event& event) {
  if (!active_) return;
  if (const auto* bound = std::get_if<sched::TaskBound>(&event)) {
    bound_.try_emplace(key_of(bound->job, bound->index, bound->attempt), world_.now());
  }
  if (const auto* started = std::get_if<sched::TaskStarted>(&event)) {
    bound_.erase(key_of(started->job, started->index, started->attempt));
  }
  if (const auto* lost = std::get_if<sched::TaskLost>(&event)) {
    bound_.erase(key_of(lost->job, lost->index, lost->attempt));
  }
  if (const auto* ended = std::get_if<sched::TaskEnded>(&event)) {
    bound_.erase(key_of(ended->job, ended->index, ended->attempt));
  }
}

void IdleWatch::look() const {
  for (const auto& [key, since] : bound_) {
    if (world_.now() - since <= kStartsWithin) continue;
    const auto& [home, number, lineage, index, attempt] = key;
    return world_.fail("after an idle spell task " + std::to_string(index) + " of job " +
        std::to_string(home) + "/" + std::to_string(number) + " is bound, and does not start");
  }
}

std::vector<std::pair<JobId, sched::Job>> IdleWatch::submit(overlay::Rng& rng) {
  std::vector<std::pair<JobId, sched::Job>> submitted;
  for (int i = 0; i < kJobs && world_.failure().empty(); ++i) {
    const sched::Job job = draw_small_job(rng);
    const auto id = world_.submit(rng.index(world_.size()), job, true);
    if (!id) {
      world_.fail("a small job was refused: " + id.error().text);
    } else {
      submitted.emplace_back(*id, job);
    }
  }
  return submitted;
}

}  // namespace dunlin::test
