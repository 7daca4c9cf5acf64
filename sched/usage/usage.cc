// SPDX-License-Identifier: MIT
#include "sched/usage/usage.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "sched/task.h"

namespace dunlin::sched {
namespace {

/// The custom resource that counts as GPUs.
constexpr const char* kGpu = "gpu";

/// `amount` × `time`; the greatest number if it is more.
std::int64_t product(std::int64_t amount, std::int64_t time) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (amount <= 0 || time <= 0) return 0;
  return amount > kMax / time ? kMax : amount * time;
}

UsageNote note_of(const Job& job, std::int64_t wall_ns) {
  return {.row = {.key = {.hour = hour_of(wall_ns),
                      .home = job.id.home,
                      .user = job.owner,
                      .service_class = job.service_class.empty() ? std::string(kDefaultClass)
                                                                 : job.service_class},
              .sums = {}},
      .job = job.id};
}

}  // namespace

void add(UsageSums& sums, const UsageSums& more) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  for (std::int64_t UsageSums::* const each : kUsageSums) {
    std::int64_t& sum = sums.*each;
    const std::int64_t plus = more.*each;
    if (plus > 0 && sum > kMax - plus) {
      sum = kMax;
    } else if (plus < 0 && sum < kMin - plus) {
      sum = kMin;
    } else {
      sum += plus;
    }
  }
}

std::int64_t hour_of(std::int64_t wall_ns) {
  return std::max<std::int64_t>(wall_ns, 0) / kNsPerHour;
}

std::int64_t wall_after(const Job& job, Duration age) {
  // A submit that another node tells of may be of any time.
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t submitted = std::clamp<std::int64_t>(job.submitted_at, 0, kMax);
  return submitted + std::clamp<std::int64_t>(age.count(), 0, kMax);
}

// A worker says by its own clock when the attempt began. A clock that is wrong by a year must not
// put the usage where no question looks for it.
std::int64_t ended_at(const Job& job, const Report& report, std::int64_t now) {
  if (report.started_at <= 0) return now;
  const std::int64_t latest = std::max(now, job.submitted_at);
  const std::int64_t began = std::min(report.started_at, latest);
  const std::int64_t ran = sane_task_time(report.wall).count();
  return std::clamp(ran > latest - began ? latest : began + ran, job.submitted_at, latest);
}

UsageSums usage_of(const Report& report, bool final, const Resources& demand) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  const Duration wall = sane_task_time(report.wall);
  const std::int64_t wall_us = duration_cast<microseconds>(wall).count();
  const std::int64_t wall_ms = duration_cast<milliseconds>(wall).count();
  UsageSums sums{.tasks = final ? 1 : 0,
      .failed = is_own_failure(report) ? 1 : 0,
      .preempted = report.outcome == Outcome::preempted ? 1 : 0,
      .lost = is_node_fault(report) || report.outcome == Outcome::lost ? 1 : 0,
      .cpu_used = std::max<std::int64_t>(duration_cast<microseconds>(report.cpu).count(), 0),
      .memory_held = product(demand.memory, wall_ms),
      .gpu_held = product(amount_of(demand, kGpu), wall_ms)};
  // Whole CPUs and the rest apart: thousandths times ten years are too much for one number.
  sums.cpu_held = product(demand.cpu / 1000, wall_us);
  add(sums, {.cpu_held = product(demand.cpu % 1000, wall_us) / 1000});
  const bool in_vain = sums.failed + sums.preempted + sums.lost > 0;
  sums.cpu_wasted = in_vain ? sums.cpu_held : 0;
  return sums;
}

UsageNote usage_of_submit(const Job& job) {
  UsageNote note = note_of(job, job.submitted_at);
  note.row.sums.jobs = 1;
  return note;
}

UsageNote usage_of_end(const Job& job,
    const Report& report,
    PeerId worker,
    bool final,
    const Resources& demand,
    std::int64_t now) {
  UsageNote note = note_of(job, ended_at(job, report, now));
  if (!worker) return note;
  note.attempt = {.index = report.index, .attempt = report.attempt};
  note.row.sums = usage_of(report, final, demand);
  return note;
}

UsageNote usage_of_loss(const Job& job, const Attempt& lost, std::int64_t now) {
  UsageNote note = note_of(job, std::max(now, job.submitted_at));
  note.attempt = lost;
  note.loss = true;
  note.row.sums.lost = 1;
  return note;
}

bool settle(UsageNote& note, bool was_lost) {
  const bool again = was_lost && note.attempt.attempt != 0;
  if (note.loss && again) return false;
  if (again) --note.row.sums.lost;
  return note.row.sums != UsageSums{};
}

}  // namespace dunlin::sched
