// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "sched/job.h"

// Who used how much. The home of a job sums it when the job is submitted and when an attempt ends,
// by the hour: so much of it lasts when the job itself is forgotten. Pure.
namespace dunlin::sched {

/// What was used, summed. A sum that fits no number is the greatest that does.
struct UsageSums {
  std::int64_t jobs = 0;       ///< Submitted.
  std::int64_t tasks = 0;      ///< Results. A task that is run again after its end has another one.
  std::int64_t failed = 0;     ///< Attempts that failed by themselves.
  std::int64_t preempted = 0;  ///< Attempts that yielded to other tasks.
  /// Attempts that came to nothing by their nodes, or were given back. Below 0 in an hour in which
  /// some turned up that an earlier hour has as lost.
  std::int64_t lost = 0;
  std::int64_t cpu_used = 0;     ///< CPU time that was spent, in microseconds.
  std::int64_t cpu_held = 0;     ///< CPUs of the demand × time, in microseconds.
  std::int64_t cpu_wasted = 0;   ///< The part of that which attempts held that came to nothing.
  std::int64_t memory_held = 0;  ///< MiB of the demand × milliseconds.
  std::int64_t gpu_held = 0;     ///< GPUs of the demand × time, in milliseconds.
  friend bool operator==(const UsageSums&, const UsageSums&) = default;
};

/// All of them, in an order for tables.
inline constexpr std::int64_t UsageSums::* kUsageSums[] = {&UsageSums::jobs, &UsageSums::tasks,
    &UsageSums::failed, &UsageSums::preempted, &UsageSums::lost, &UsageSums::cpu_used,
    &UsageSums::cpu_held, &UsageSums::cpu_wasted, &UsageSums::memory_held, &UsageSums::gpu_held};

/// Adds each sum.
void add(UsageSums& sums, const UsageSums& more);

/// Of whom and when.
struct UsageKey {
  std::int64_t hour = 0;      ///< Since 1970, by the wall clock.
  PeerId home;                ///< The node that took the jobs, whichever drives them.
  std::string user;           ///< Job::owner.
  std::string service_class;  ///< Job::service_class, or the name of that of all others.
  friend auto operator<=>(const UsageKey&, const UsageKey&) = default;
};

struct UsageRow {
  UsageKey key;
  UsageSums sums;
  friend bool operator==(const UsageRow&, const UsageRow&) = default;
};

/// An addition to the sums, as a store gets it: see Store::put_usage().
struct UsageNote {
  UsageRow row;
  JobId job;
  /// The attempt whose end is recorded next: if its record is that of a loss already, the loss is
  /// taken back, or not counted a second time. Number 0: it is of none.
  Attempt attempt{};
  bool loss = false;  ///< That record says that it was lost.
  /// The log that the job is in, and the epoch of its home; 0: the job has no replicas.
  std::uint64_t log = 0;
  std::uint32_t epoch = 0;
  friend bool operator==(const UsageNote&, const UsageNote&) = default;
};

/// Usage is kept for so long.
inline constexpr std::int64_t kUsageHours = std::int64_t{400} * 24;
inline constexpr std::int64_t kNsPerHour = 3'600'000'000'000;

/// The hour of a time in ns since 1970; never below 0.
std::int64_t hour_of(std::int64_t wall_ns);
/// The wall clock so long after the submit of a job, in ns since 1970, if it was not set since.
std::int64_t wall_after(const Job& job, Duration age);
/// When an attempt of a job ended, in ns since 1970, as its worker says: but never before the
/// submit of the job, nor after `now`; `now` itself if the worker does not say. By the home's
/// clock.
std::int64_t ended_at(const Job& job, const Report& report, std::int64_t now);
/// What an attempt used that was of that demand, and ended so. `final`: it is the task's result.
UsageSums usage_of(const Report& report, bool final, const Resources& demand);

/// What a submit adds.
UsageNote usage_of_submit(const Job& job);
/// What the record of an end adds. `now` is in ns since 1970. One of no worker is of no attempt: a
/// task was cancelled before it ran, and that adds nothing: then the number of the attempt is 0.
UsageNote usage_of_end(const Job& job,
    const Report& report,
    PeerId worker,
    bool final,
    const Resources& demand,
    std::int64_t now);
/// What the record of a loss adds. What the attempt held is not known.
UsageNote usage_of_loss(const Job& job, const Attempt& lost, std::int64_t now);
/// Makes of a note what is to be added, where the record of the same attempt may say already that
/// it was lost: `was_lost`. False if that is nothing.
bool settle(UsageNote& note, bool was_lost);

}  // namespace dunlin::sched
