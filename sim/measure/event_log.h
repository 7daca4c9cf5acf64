// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "sched/job.h"
#include "sim/measure/job_records.h"

namespace dunlin::sim {

/// Writes all that figures are made of, before anything is reckoned with it: a line each, a word
/// and then numbers, with all times in nanoseconds of the run. Whoever doubts a figure can make it
/// anew from this: see tools/reckon, which does.
///
///     started 5000731022 17/1/88 1
class EventLog {
 public:
  /// Writes nothing.
  EventLog() = default;
  /// `out` must outlive this. The caller checks it for failures when all is done.
  explicit EventLog(std::ostream& out) : out_(&out) {}

  /// machine CPU: one that runs tasks, with so many milli-CPU. They count from 0 as they come.
  void machine(std::uint32_t cpu);
  /// arrived AT: a user handed a job, or a stage of one, in.
  void arrived(Time now);
  /// accepted AT JOB TASKS ARRIVED LONGEST MEAN CONSTRAINED PRIORITY DEADLINE WHOLE STAGES TASKS:
  /// DEADLINE is - if there is none; WHOLE is 0 if it belongs to no whole job.
  void accepted(const JobRecord& job);
  /// refused ARRIVED WHOLE STAGES TASKS
  void refused(Time arrived, const JobFacts& facts);
  /// bound AT JOB: its frontend heard of room for a task.
  void bound(Time now, const sched::JobId& job);
  /// started AT JOB ATTEMPT: an attempt of a task of it.
  void started(Time now, const sched::JobId& job, std::uint32_t attempt);
  /// finished AT JOB SUCCEEDED FAILED CANCELLED: its frontend knows that all tasks have ended.
  void finished(Time now,
      const sched::JobId& job,
      std::uint32_t succeeded,
      std::uint32_t failed,
      std::uint32_t cancelled);
  /// began AT: an attempt, on some machine.
  void began(Time now);
  /// worked MACHINE BEGIN END CPU
  void worked(std::uint32_t machine, Time begin, Time end, std::uint32_t cpu);
  /// ended AT JOB MACHINE BY_ITSELF: an attempt, where it ran.
  void ended(Time at, const sched::JobId& job, std::uint32_t machine, bool by_itself);
  /// sent KIND: a message left, of a kind as message_kind.h names them; of a baseline: `baseline`.
  void sent(std::string_view kind);
  /// end AT: the run ended.
  void end(Time now);

 private:
  std::ostream* out_ = nullptr;
};

}  // namespace dunlin::sim
