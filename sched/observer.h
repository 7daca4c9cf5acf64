// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "overlay/observer.h"
#include "sched/cell/cell_events.h"
#include "sched/message.h"

// What happens in scheduling, as values; see overlay/observer.h.
namespace dunlin::sched {

using overlay::Level;

struct JobAccepted {
  static constexpr std::string_view kName = "job_accepted";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t tasks;
  void fields(auto&& field) const {
    field("job", job);
    field("tasks", tasks);
  }
};

struct JobFinished {
  static constexpr std::string_view kName = "job_finished";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t succeeded;
  std::uint32_t failed;
  std::uint32_t cancelled;
  void fields(auto&& field) const {
    field("job", job);
    field("succeeded", succeeded);
    field("failed", failed);
    field("cancelled", cancelled);
  }
};

struct ProbeSent {
  static constexpr std::string_view kName = "probe_sent";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  PeerId to;
  bool greedy;
  void fields(auto&& field) const {
    field("job", job);
    field("probe", probe);
    field("to", to);
    field("greedy", greedy);
  }
};

struct ProbeLost {
  static constexpr std::string_view kName = "probe_lost";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  void fields(auto&& field) const {
    field("job", job);
    field("probe", probe);
  }
};

struct ReservationForwarded {
  static constexpr std::string_view kName = "reservation_forwarded";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  PeerId to;
  bool greedy;
  void fields(auto&& field) const {
    field("job", job);
    field("probe", probe);
    field("to", to);
    field("greedy", greedy);
  }
};

struct ReservationQueued {
  static constexpr std::string_view kName = "reservation_queued";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  std::uint32_t ahead;
  void fields(auto&& field) const {
    field("job", job);
    field("probe", probe);
    field("ahead", ahead);
  }
};

struct ReservationBounced {
  static constexpr std::string_view kName = "reservation_bounced";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t probe;
  BounceReason reason;
  void fields(auto&& field) const {
    field("job", job);
    field("probe", probe);
    field("reason", kBounceReasonWords[static_cast<std::size_t>(reason)]);
  }
};

/// A frontend handed a task to a worker.
struct TaskBound {
  static constexpr std::string_view kName = "task_bound";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t index;
  std::uint16_t attempt;
  PeerId worker;
  void fields(auto&& field) const {
    field("job", job);
    field("index", index);
    field("attempt", attempt);
    field("worker", worker);
  }
};

/// A worker starts a task: the end of its queueing delay.
struct TaskStarted {
  static constexpr std::string_view kName = "task_started";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t index;
  std::uint16_t attempt;
  void fields(auto&& field) const {
    field("job", job);
    field("index", index);
    field("attempt", attempt);
  }
};

/// The frontend learned how an attempt ended.
struct TaskEnded {
  static constexpr std::string_view kName = "task_ended";
  static constexpr Level kLevel = Level::debug;
  JobId job;
  std::uint32_t index;
  std::uint16_t attempt;
  Outcome outcome;
  std::int32_t status;
  bool final;  ///< This is the task's one result.
  void fields(auto&& field) const {
    field("job", job);
    field("index", index);
    field("attempt", attempt);
    field("outcome", kOutcomeWords[static_cast<std::size_t>(outcome)]);
    field("status", status);
    field("final", final);
  }
};

/// The lease of an attempt ran out: it will be made again.
struct TaskLost {
  static constexpr std::string_view kName = "task_lost";
  static constexpr Level kLevel = Level::warn;
  JobId job;
  std::uint32_t index;
  std::uint16_t attempt;
  PeerId worker;
  void fields(auto&& field) const {
    field("job", job);
    field("index", index);
    field("attempt", attempt);
    field("worker", worker);
  }
};

/// A restarted frontend found a task of its earlier life still running.
struct TaskAdopted {
  static constexpr std::string_view kName = "task_adopted";
  static constexpr Level kLevel = Level::info;
  JobId job;
  std::uint32_t index;
  std::uint16_t attempt;
  PeerId worker;
  void fields(auto&& field) const {
    field("job", job);
    field("index", index);
    field("attempt", attempt);
    field("worker", worker);
  }
};

/// A worker gave up on a frontend that stays dead, and stops its task.
struct TaskOrphaned {
  static constexpr std::string_view kName = "task_orphaned";
  static constexpr Level kLevel = Level::warn;
  JobId job;
  std::uint32_t index;
  std::uint16_t attempt;
  void fields(auto&& field) const {
    field("job", job);
    field("index", index);
    field("attempt", attempt);
  }
};

struct DrainChanged {
  static constexpr std::string_view kName = "drain_changed";
  static constexpr Level kLevel = Level::info;
  bool draining;
  std::uint32_t running;
  void fields(auto&& field) const {
    field("draining", draining);
    field("running", running);
  }
};

using Event = std::variant<JobAccepted,
    JobFinished,
    ProbeSent,
    ProbeLost,
    ReservationForwarded,
    ReservationQueued,
    ReservationBounced,
    TaskBound,
    TaskStarted,
    TaskEnded,
    TaskLost,
    TaskAdopted,
    TaskOrphaned,
    DrainChanged,
    CellJoined,
    CellLeft,
    ManagerElected,
    ManagerResigned,
    GrantsLapsed,
    ClassesChanged,
    TransferSettled,
    TransferUndone,
    CellWrittenOff>;

/// Is told what happens in both layers. Must not call back into the protocol.
class Observer : public overlay::Observer {
 public:
  using overlay::Observer::on;
  virtual void on(const Event& event) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace dunlin::sched
