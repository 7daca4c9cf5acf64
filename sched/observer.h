// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "overlay/observer.h"
#include "sched/cell/cell_events.h"
#include "sched/frontend/launch/launch_events.h"
#include "sched/frontend/stages/stage_events.h"
#include "sched/logs/log_events.h"
#include "sched/message.h"
#include "sched/worker/loans/loan_events.h"

// The events of scheduling, as values; see overlay/observer.h.
namespace dunlin::sched {

using overlay::Level;

/// A frontend recorded a job. From now on it is not forgotten.
struct JobAccepted {
  static constexpr std::string_view kName = "job_accepted";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t tasks;
};

/// The last task of a job has its result.
struct JobFinished {
  static constexpr std::string_view kName = "job_finished";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t succeeded;
  std::uint32_t failed;
  std::uint32_t cancelled;
};

/// The deadline of a job passed before its last task had its result.
struct DeadlineMissed {
  static constexpr std::string_view kName = "deadline_missed";
  static constexpr Level kLevel = Level::info;
  JobId job;
  bool cancelled;  ///< As its user wished: see PastDeadline.
};

/// A job was put on hold, or released.
struct HoldChanged {
  static constexpr std::string_view kName = "hold_changed";
  static constexpr Level kLevel = Level::info;
  JobId job;
  bool held;
};

/// The user of a job set its priority or its deadline.
struct TermsChanged {
  static constexpr std::string_view kName = "terms_changed";
  static constexpr Level kLevel = Level::info;
  JobId job;
};

/// The user of a job has tasks run again that had ended.
struct TasksRetried {
  static constexpr std::string_view kName = "tasks_retried";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t tasks;
};

/// A job that another one waited for has ended.
struct AfterSettled {
  static constexpr std::string_view kName = "after_settled";
  static constexpr Level kLevel = Level::info;
  JobId job;    ///< The one that waited, ...
  JobId after;  ///< ... for this one.
  bool met;     ///< It ended as it must; else the job is cancelled.
};

/// The command for the end of a job is about to be run.
struct EndCommandStarted {
  static constexpr std::string_view kName = "end_command_started";
  static constexpr Level kLevel = Level::info;
  JobId job;
};

/// The command for the end of a job failed.
struct EndCommandFailed {
  static constexpr std::string_view kName = "end_command_failed";
  static constexpr Level kLevel = Level::warn;
  JobId job;
  Outcome outcome;
  std::int32_t status;
  std::string detail;
};

/// A frontend sent a reservation on its way.
struct ProbeSent {
  static constexpr std::string_view kName = "probe_sent";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  PeerId to;
  bool greedy;
};

/// A reservation was not heard of in time: its worker died, or a datagram was lost. The frontend
/// sends another.
struct ProbeLost {
  static constexpr std::string_view kName = "probe_lost";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
};

/// A worker without room sent a reservation on to another node.
struct ReservationForwarded {
  static constexpr std::string_view kName = "reservation_forwarded";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  PeerId to;
  bool greedy;
};

/// A reservation ended its walk and waits at this worker.
struct ReservationQueued {
  static constexpr std::string_view kName = "reservation_queued";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  std::uint32_t ahead;
};

/// A worker turned a reservation away for good: see BounceReason.
struct ReservationBounced {
  static constexpr std::string_view kName = "reservation_bounced";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  BounceReason reason;
};

/// A frontend handed a task to a worker.
struct TaskBound {
  static constexpr std::string_view kName = "task_bound";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  PeerId worker;
};

/// A worker starts a task: the end of its queueing delay.
struct TaskStarted {
  static constexpr std::string_view kName = "task_started";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
};

/// The frontend learned how an attempt ended.
struct TaskEnded {
  static constexpr std::string_view kName = "task_ended";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  Outcome outcome;
  std::int32_t status;
  bool final;  ///< This is the task's one result.
};

/// The lease of an attempt ran out, so it will be made again.
struct TaskLost {
  static constexpr std::string_view kName = "task_lost";
  static constexpr Level kLevel = Level::warn;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  PeerId worker;
};

/// A restarted frontend found a task of its earlier incarnation still running.
struct TaskAdopted {
  static constexpr std::string_view kName = "task_adopted";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  PeerId worker;
};

/// A worker goes on with a task that an earlier incarnation of it started.
struct TaskTakenBack {
  static constexpr std::string_view kName = "task_taken_back";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
};

/// A worker gave up on a frontend that stays dead, and stops its task.
struct TaskOrphaned {
  static constexpr std::string_view kName = "task_orphaned";
  static constexpr Level kLevel = Level::warn;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
};

/// A worker stops a task so that another one gets its room, or because its user wants that.
struct TaskPreempted {
  static constexpr std::string_view kName = "task_preempted";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  JobId by;              ///< The job that gets the room; number 0: it is the user's word.
  std::uint64_t ran_ms;  ///< What it has done in that time may be lost.
};

/// A worker has a task stand still so that another one gets its CPU.
struct TaskSuspended {
  static constexpr std::string_view kName = "task_suspended";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  JobId by;  ///< The job that gets the CPU.
};

/// A task that stood still goes on.
struct TaskResumed {
  static constexpr std::string_view kName = "task_resumed";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
  std::uint64_t stood_ms;
};

/// The node stopped accepting tasks, or accepts them again.
struct DrainChanged {
  static constexpr std::string_view kName = "drain_changed";
  static constexpr Level kLevel = Level::info;
  bool draining;
  std::uint32_t running;
};

/// The node fell sick, so that it offers nothing, or is well again; or the reason is another one.
struct HealthChanged {
  static constexpr std::string_view kName = "health_changed";
  static constexpr Level kLevel = Level::warn;
  bool sick;
  std::string reason;  ///< Empty if it is well.
};

using Event = std::variant<JobAccepted,
    JobFinished,
    DeadlineMissed,
    HoldChanged,
    TermsChanged,
    TasksRetried,
    AfterSettled,
    StageSettled,
    EndCommandStarted,
    EndCommandFailed,
    ProbeSent,
    ProbeLost,
    ReservationForwarded,
    ReservationQueued,
    ReservationBounced,
    TaskBound,
    TaskLaunched,
    LaunchRefused,
    PreemptionAsked,
    GangStarted,
    TaskStarted,
    TaskEnded,
    TaskLost,
    TaskAdopted,
    TaskTakenBack,
    TaskOrphaned,
    TaskPreempted,
    TaskSuspended,
    TaskResumed,
    LoanGiven,
    LoanEnded,
    LoanMissed,
    DrainChanged,
    HealthChanged,
    CellJoined,
    CellLeft,
    ManagerElected,
    ManagerResigned,
    GrantsLapsed,
    ClassesChanged,
    PlanMade,
    TransferSettled,
    TransferUndone,
    CellWrittenOff,
    LogTaken,
    LogLost,
    LogOrphaned>;

/// Receives the events of both layers. Must not call back into the protocol.
class Observer : public overlay::Observer {
 public:
  using overlay::Observer::on;
  virtual void on(const Event& event) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace dunlin::sched
