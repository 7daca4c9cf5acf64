// SPDX-License-Identifier: MIT
#include "sim/baseline/central.h"

#include "sim/clock.h"

// One server holds the queue and believes what machines last told it. Its limits are the two that
// any central scheduler has: decisions come one after the other, so its rate ends at
// 1/decision_time; and a machine stays idle for a round trip after each task, since the server must
// hear of the room before it can fill it.
namespace dunlin::sim {
namespace {

constexpr std::uint32_t kServer = 0;  // The machine beside which the server stands.

}  // namespace

Central::Central(const Options& options, Recorder& recorder) : Baseline(options, recorder) {
  for (std::uint32_t i = 0; i < machines(); ++i) {
    believed_.push_back(total(i));
    sort_in(i);
  }
}

void Central::sort_in(std::uint32_t machine) {
  machines_by_room_.put(machine, {speed(machine), static_cast<double>(believed_[machine].cpu)});
}

void Central::place(const PlacedJob& job) {
  // What a group wants is known by a number: where the first such task fits nowhere, decide()
  // passes over all others that want the same, however many they are.
  schedule(travel(job->frontend, kServer), [this, job] {
    const auto next = static_cast<std::uint32_t>(wishes_.size());
    const std::uint32_t wish =
        wishes_.try_emplace(wish_of(job->job.groups.front()), next).first->second;
    for (std::uint32_t i = 0; i < job->job.task_count(); ++i) queue_.push(wish, {job, i});
    decide();
  });
}

std::optional<std::uint32_t> Central::roomiest(const PlacedJob& job) {
  return machines_by_room_.best(rng(), [&](std::uint32_t machine) {
    return satisfies(machine, job) && sched::fits(job->demand(), believed_[machine]);
  });
}

void Central::decide() {
  if (deciding_) return;
  std::uint32_t machine = 0;
  const auto found = queue_.take_first([&](const Work& first) {
    const auto fit = roomiest(first.job);
    machine = fit.value_or(0);
    return fit.has_value();
  });
  // Nothing is polled: a job that comes, or a machine with new room, calls again.
  if (!found) return;
  const Work work = *found;
  // Counted when it is decided, not when the task starts: until the message arrives the room must
  // not be given away twice.
  sched::take(believed_[machine], work.job->demand());
  sort_in(machine);
  deciding_ = true;
  schedule(params().decision_time, [this, machine, work] {
    schedule(travel(kServer, machine), [this, machine, work] { start(machine, work, now()); });
    deciding_ = false;
    decide();
  });
}

void Central::on_room(std::uint32_t machine, const PlacedJob& job) {
  schedule(travel(machine, kServer), [this, machine, job] {
    sched::give(believed_[machine], job->demand());
    sort_in(machine);
    decide();
  });
}

}  // namespace dunlin::sim
