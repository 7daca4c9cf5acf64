// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "overlay/message.h"
#include "overlay/turn.h"
#include "sched/job.h"
#include "sched/message.h"
#include "sched/observer.h"
#include "sched/resources.h"

namespace dunlin::sched {

struct SpentKey;
struct UsageNote;
class UsageTable;

/// The office in which a frontend gave tasks, as a worker keeps it beside them.
struct TaskLog {
  std::uint64_t log = 0;  ///< 0: the job has no replicas.
  std::uint32_t epoch = 0;
  std::vector<LogReplica> standbys{};
  std::uint64_t version = 0;  ///< Of the set that has them; 0: unknown, perhaps of old.
  friend bool operator==(const TaskLog&, const TaskLog&) = default;
};

/// A worker that may hold tasks of a frontend, as that stores it.
struct StoredHolder {
  Endpoint worker;
  Duration away{0};  ///< It said that it may be silent for so much longer than a lease.
  friend bool operator==(const StoredHolder&, const StoredHolder&) = default;
};

/// The records that must survive the death of the process. A driver implements it.
/// **Records put in a turn are durable before a message sent later in that turn leaves**; a turn's
/// records become durable together or not at all.
class Store {
 public:
  /// A job was accepted. Nothing of it may be forgotten from now on.
  virtual void put_job(const Job& job) = 0;
  /// Something of it changed.
  virtual void put_progress(const JobId& job, const JobProgress& progress) = 0;
  /// Records how an attempt of a task ended. `final` is the task's one result: it is put exactly
  /// once per task, and never says Outcome::preempted. The others are history of attempts that will
  /// be made again: those that failed by themselves (is_own_failure) count as StoredTask::failures,
  /// all others as losses, and those preempted as preemptions besides. The workers of those that
  /// could not start (Outcome::spawn_failed) are StoredTask::avoided. An attempt that was lost may
  /// be reported later: then the report takes the place of the loss.
  virtual void put_report(const JobId& job, const Report& report, PeerId worker, bool final) = 0;
  /// Records that a task must be attempted again without a report: its worker was lost, or never
  /// started it. The same attempt may be lost twice, if its worker came back in between: it counts
  /// once.
  virtual void put_loss(const JobId& job, const Attempt& lost, PeerId worker) = 0;
  /// Records that a task with a result is to run again. Its result becomes the record of an
  /// attempt, and StoredTask::retried is `last`, the highest attempt that was made.
  virtual void put_retry(const JobId& job, const Attempt& last) = 0;
  /// Records what the user wishes of attempts that run, before they have ended: of one and the same
  /// attempt the last wish counts. Those up to StoredTask::retried count no more. `progress` is the
  /// job's as it stands: a log tells both in one record, of which older nodes read the progress.
  virtual void put_wishes(const JobId& job,
      const JobProgress& progress,
      Wished wished,
      std::span<const Attempt> attempts) = 0;
  /// The job is history, and too old: all its records go.
  virtual void forget_job(const JobId& job) = 0;
  /// The worker may hold tasks from now on, and be silent for so much longer than a lease.
  virtual void put_holder(const StoredHolder& holder) = 0;
  /// It holds none any more.
  virtual void forget_holder(PeerId worker) = 0;
  /// A job with a key is forgotten: so much of its submission is still known for a day. A driver
  /// that restarts nodes keeps it.
  virtual void put_spent_key(const SpentKey&) {}
  /// What users used grows by this. It is put before the record that it is of. A driver that
  /// restarts nodes adds it up, as long as sched/usage/usage.h says.
  virtual void put_usage(const UsageNote&) {}
  /// Another node drove the jobs of that log, or an earlier life of this one: in the place of all
  /// that was put for the log, its usage is this, as its home of that epoch has it.
  virtual void set_usage(std::uint64_t, std::uint32_t, const UsageTable&) {}
  /// An administrator drains this node, or, by nothing, ends that. A driver that restarts nodes
  /// keeps it.
  virtual void put_drain(const std::optional<DrainTerms>&) {}

 protected:
  ~Store() = default;
};

/// Jobs of one owner and name are the same job again, and so are their groups of one name.
struct ProfileKey {
  std::string owner;
  std::string job;
  std::string group;
  friend auto operator<=>(const ProfileKey&, const ProfileKey&) = default;
};

/// What a task of a recurring group is taken to demand, as tasks before it used.
struct Profile {
  Resources demand;         ///< 0 where it is not known.
  std::uint32_t tasks = 0;  ///< So many told it.
  friend bool operator==(const Profile&, const Profile&) = default;
};

/// The profiles of groups that have run here. A driver implements it; it may forget any of them.
class Profiles {
 public:
  virtual std::optional<Profile> find(const ProfileKey& key) const = 0;
  /// Takes the place of what was known.
  virtual void put(const ProfileKey& key, const Profile& profile) = 0;

 protected:
  ~Profiles() = default;
};

/// What counts when a task is in the way of another one.
struct YieldTerms {
  std::int16_t priority = kPriorityDefault;
  OnPreempt on_preempt = OnPreempt::never;
  std::uint16_t preemptions = 0;  ///< Attempts of the task before that were preempted.
  friend bool operator==(const YieldTerms&, const YieldTerms&) = default;
};

/// Where the input of a task is.
enum class InputPlace : std::uint8_t {
  none,  ///< No place is told.
  here,
  elsewhere,
};

/// One attempt of a task, for the driver to run.
struct Launch {
  TaskId task;
  AttemptNumber attempt = 1;
  Resources demand;
  InputPlace input = InputPlace::none;
  PeerId lender{};    ///< The node that has its input, and lends what reading it takes; 0: none.
  Endpoint frontend;  ///< This and the next five are for KeptTask: a driver runs without.
  Duration task_time{0};   ///< The time it is expected to run.
  Duration time_limit{0};  ///< 0: none.
  std::uint32_t class_id = 0;
  std::uint64_t user = 0;  ///< See Reserve.
  TaskLog log;
  YieldTerms yield{};
  std::uint32_t task_count = 1;  ///< The tasks of the whole job.
  std::string job_name;
  std::string spec;         ///< Opaque: the driver's own submit put it there.
  std::string entry;        ///< The task's own line, or empty.
  OptionalDuration due_in;  ///< Time left of the job's deadline, more than 0; empty: it has none.
  AmountSet guessed = 0;  ///< Of the demand: a task must not be held to a rate that is an estimate.
};

/// The end of an attempt that the executor was given.
struct Exit {
  JobId job;
  Report report;
};

/// An attempt that outlived the process of its peer. The driver kept it for the next incarnation.
struct KeptTask {
  TaskId task;
  AttemptNumber attempt = 1;
  Endpoint frontend;
  Resources demand;
  Duration task_time{0};
  Duration time_limit{0};  ///< From its start; 0: none.
  std::uint32_t class_id = 0;
  std::uint64_t user = 0;  ///< 0: not known.
  TaskLog log;
  YieldTerms yield{};
  Duration ran{0};  ///< Since its start, less the time that it stood still.
  /// It stands still, for so long by now, or did when it was told to end.
  OptionalDuration suspended{};
  std::optional<Outcome> told_to_end{};  ///< It was told to end so, and has not ended yet.
  std::optional<Report> ended;           ///< If it has ended.
};

/// Runs tasks. A driver implements it, and tells Peer::on_exits once for each start, in a later
/// turn, also if the start failed or the task was killed.
class Executor {
 public:
  virtual void start(const Launch& launch) = 0;
  /// Asks it to end (SIGTERM, after a grace period SIGKILL). The report will say `outcome`:
  /// Outcome::killed, time_limit or preempted. One that is preempted may have time for a checkpoint
  /// before, until this is called once more. Unknown attempts are ignored.
  virtual void kill(const TaskId& task, AttemptNumber attempt, Outcome outcome) = 0;
  /// It stands still until resume() or kill(), and uses no CPU. Before a task that starts later has
  /// its CPU it stands. Unknown attempts are ignored, and those that end.
  virtual void suspend(const TaskId& task, AttemptNumber attempt) = 0;
  /// It goes on. Unknown attempts are ignored.
  virtual void resume(const TaskId& task, AttemptNumber attempt) = 0;
  /// The report of an attempt that has ended is recorded, or of no use: the driver need not keep it
  /// for a later incarnation any more. Unknown attempts are ignored.
  virtual void forget(const TaskId& task, AttemptNumber attempt) = 0;
  /// Runs a trial: a task that does nothing, in the way in which tasks are run, to learn if one can
  /// start. The driver tells Peer::on_trial once, in a later turn. Never called while one runs.
  virtual void try_start() = 0;

 protected:
  ~Executor() = default;
};

/// What a step looked at as a global or a local master, or as a member of one, beside its messages.
/// A driver that says how long a step takes counts it. Source: Megha, sections IV-B and V.
struct Effort {
  std::uint64_t rows = 0;   ///< Rows that were looked at, verified or told, at both ends ...
  std::uint64_t words = 0;  ///< ... and words of vectors.
};

/// Everything that the scheduling half of a peer may see and touch during one step. Valid only
/// during the call.
struct Turn {
  Time now;
  Rng& rng;
  overlay::Port<Message>& out;
  Observer& events;
  Store& store;
  Executor& executor;
  Effort* effort = nullptr;      ///< What the step looks at is added there, unless it is nullptr.
  Profiles* profiles = nullptr;  ///< nullptr: none are kept.
};

}  // namespace dunlin::sched
