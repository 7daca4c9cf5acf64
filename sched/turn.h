// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/message.h"
#include "overlay/turn.h"
#include "sched/job.h"
#include "sched/message.h"
#include "sched/observer.h"

namespace dunlin::sched {

/// What must survive the death of the process. A driver implements it.
/// **Records put in a turn are durable before a message sent later in that turn leaves**; a turn's
/// records become durable together or not at all.
class Store {
 public:
  /// A job was accepted. Nothing of it may be forgotten from now on.
  virtual void put_job(const Job& job) = 0;
  /// The job's user wants it no more; `restarts` and the like changed.
  virtual void put_progress(const JobId& job, const JobProgress& progress) = 0;
  /// How an attempt of a task ended. `final` is the task's one result: it is put exactly once per
  /// task. The others are history of attempts that will be made again: those stopped by their
  /// workers (Outcome::killed) count as StoredTask::losses, all others as failures. An attempt that
  /// was lost may be reported later: then the report takes the place of the loss.
  virtual void put_report(const JobId& job, const Report& report, PeerId worker, bool final) = 0;
  /// A task must be attempted again without a report: its worker was lost, or never started it. The
  /// same attempt may be lost twice, if its worker came back in between: it counts once.
  virtual void put_loss(const JobId& job, const Attempt& lost, PeerId worker) = 0;
  /// The job is history, and too old: all of it goes.
  virtual void forget_job(const JobId& job) = 0;

 protected:
  ~Store() = default;
};

/// One attempt of a task, for the driver to run.
struct Launch {
  TaskId task;
  std::uint16_t attempt = 1;
  Resources demand;
  std::uint32_t task_count = 1;  ///< Of the whole job.
  std::string job_name;
  std::string spec;   ///< Opaque: what the driver's own submit put there.
  std::string entry;  ///< The task's own line, or empty.
};

/// How an attempt that the executor was given ended.
struct Exit {
  JobId job;
  Report report;
};

/// What runs tasks. A driver implements it, and tells Peer::on_exits once for each start, in a
/// later turn, also if the start failed or the task was killed.
class Executor {
 public:
  virtual void start(const Launch& launch) = 0;
  /// Asks it to end (SIGTERM, after a grace period SIGKILL). `outcome` is what to report when it
  /// does: Outcome::killed or Outcome::time_limit. Unknown attempts are ignored.
  virtual void kill(const TaskId& task, std::uint16_t attempt, Outcome outcome) = 0;

 protected:
  ~Executor() = default;
};

/// What the scheduling half of a peer may see and touch during one step. Valid only during the
/// call.
struct Turn {
  Time now;
  Rng& rng;
  overlay::Port<Message>& out;
  Observer& events;
  Store& store;
  Executor& executor;
};

}  // namespace dunlin::sched
