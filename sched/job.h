// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// A task of a job, for its whole life: all its attempts.
struct TaskId {
  JobId job;
  std::uint32_t index = 0;  ///< In [0, Job::task_count()), across all groups.
  friend bool operator==(const TaskId&, const TaskId&) = default;
};

/// The least and the greatest a user may ask for. Larger runs first.
inline constexpr std::int16_t kPriorityMin = 0;
inline constexpr std::int16_t kPriorityMax = 100;
inline constexpr std::int16_t kPriorityDefault = 50;

/// No task is thought to run longer: sums of a few such times are still integers.
inline constexpr Duration kTaskTimeMax = std::chrono::hours(24 * 365 * 10);
/// What a peer says of how long tasks run, within reason.
constexpr Duration sane_task_time(Duration said) {
  return std::clamp(said, Duration{0}, kTaskTimeMax);
}

/// Many lines in one block of memory: 4 bytes of overhead each.
struct Lines {
  std::string text;
  std::vector<std::uint32_t> ends;  ///< Where line i ends in `text`.

  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - begin);
  }
  void push_back(std::string_view line) {
    text += line;
    ends.push_back(static_cast<std::uint32_t>(text.size()));
  }
  friend bool operator==(const Lines&, const Lines&) = default;
};

/// Tasks of equal demand. Opaque to scheduling: `spec` and `entries`.
struct TaskGroup {
  std::string name;  ///< Empty for the only group of a job.
  std::uint32_t count = 1;
  Resources demand;
  std::vector<Constraint> constraints;
  std::int16_t priority = kPriorityDefault;
  std::uint16_t retries = 0;  ///< Failed attempts forgiven per task. Lost workers do not count.
  Duration time_limit{0};     ///< Of one attempt; 0 is none.
  Duration duration{0};       ///< How long a task will run, as its user thinks; 0 is unknown.
  std::string spec;           ///< What to run, in the driver's own words.
  Lines entries;              ///< One line for each task, or none at all.
  friend bool operator==(const TaskGroup&, const TaskGroup&) = default;
};

/// What a user submitted: one record, however many tasks. Immutable once accepted.
struct Job {
  JobId id;
  std::string name;
  std::vector<TaskGroup> groups;
  std::int64_t submitted_at = 0;  ///< Wall clock, ns since 1970, where the driver has one; else 0.
  std::string owner;              ///< Who submitted it, for people.
  std::string service_class;      ///< The name of its class; empty: none was said.

  std::uint32_t task_count() const;
  friend bool operator==(const Job&, const Job&) = default;
};

/// What changes about a job as a whole and must survive.
struct JobProgress {
  std::uint32_t restarts = 0;  ///< How often its frontend came back: attempts count on from there.
  bool cancelled = false;
  friend bool operator==(const JobProgress&, const JobProgress&) = default;
};

/// A task that had left its first attempt behind when its frontend died.
struct StoredTask {
  std::uint32_t index = 0;
  std::uint16_t failures = 0;  ///< Attempts that failed and did not count as its result.
  std::uint16_t losses = 0;    ///< Attempts lost with their workers, or stopped by them.
  std::uint16_t ended = 0;     ///< The last attempt with a report that is not its result; 0: none.
  std::uint16_t lost = 0;      ///< The last one lost without a report; 0: none.
  bool finished = false;       ///< Its one result is recorded: `outcome` and `status`.
  Outcome outcome = Outcome::exited;
  std::int32_t status = 0;
};

/// All a driver found in its store about one job.
struct StoredJob {
  Job job;
  /// When it was submitted, by the clock of the peer's turns: perhaps before its zero. The driver
  /// works it out from `job.submitted_at`, and is wrong if the wall clock was set meanwhile. Empty:
  /// the driver cannot say, so the job is taken for a new one.
  std::optional<Time> submitted;
  JobProgress progress;
  std::vector<StoredTask> tasks;  ///< Ascending by index; those never heard of are left out.
};

}  // namespace dunlin::sched
