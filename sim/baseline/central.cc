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
  for (std::uint32_t i = 0; i < machines(); ++i) believed_.push_back(total(i));
}

void Central::place(const PlacedJob& job) {
  schedule(travel(job->frontend, kServer), [this, job] {
    for (std::uint32_t i = 0; i < job->job.task_count(); ++i) queue_.push_back({job, i});
    decide();
  });
}

std::uint32_t Central::roomiest(const PlacedJob& job) const {
  std::uint32_t best = machines();
  for (std::uint32_t i = 0; i < machines(); ++i) {
    if (!satisfies(i, job) || !sched::fits(job->demand(), believed_[i])) continue;
    if (best == machines() || believed_[i].cpu > believed_[best].cpu) best = i;
  }
  return best;
}

void Central::decide() {
  if (deciding_ || queue_.empty()) return;
  std::uint32_t machine = machines();
  const Placed* failed = nullptr;  // The other tasks of this job need not be tried.
  auto next = queue_.begin();
  for (; next != queue_.end(); ++next) {
    if (next->job.get() == failed) continue;
    machine = roomiest(next->job);
    if (machine < machines() || next->job->eligible == nullptr) break;
    failed = next->job.get();
  }
  if (machine == machines()) return;
  const Work work = *next;
  queue_.erase(next);
  sched::take(believed_[machine], work.job->demand());
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
    decide();
  });
}

}  // namespace dunlin::sim
