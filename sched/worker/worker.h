// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "overlay/deadlines.h"
#include "sched/ledger/books_types.h"
#include "sched/ledger/roster.h"
#include "sched/node_spec.h"
#include "sched/placement.h"
#include "sched/turn.h"
#include "sched/worker/exhausted_groups.h"
#include "sched/worker/outbox.h"
#include "sched/worker/params.h"
#include "sched/worker/queue.h"

namespace dunlin::sched {

class ClassShares;
class Stride;

/// Tasks asked for at once: the schema's bound on the answer.
inline constexpr std::uint16_t kRoomMax = 64;

/// Slots held for an answer to GetTask: late binding costs one round trip of them.
struct PendingRequest {
  std::uint32_t request = 0;
  QueuedReservation reservation;
  std::uint16_t room = 1;  ///< Tasks' worth of resources held.
  std::uint8_t tries = 1;
  Time again{};  ///< When to ask once more.
};

/// A task that runs here.
struct RunningTask {
  TaskId task;
  std::uint16_t attempt = 1;
  Endpoint frontend;
  Resources demand;
  Duration task_time{0};  ///< How long it is thought to run.
  Time started{};
  Time limit = kNever;
  bool killed = false;
  ClassId class_id = 0;  ///< Of the job, as its frontend said.
};

/// Runs tasks of any frontend: a late-bound reservation queue, and what fits of it.
/// Never over-commits a resource. Source: Ousterhout 2013, sections 3.4 and 4; design, section 5.
class Worker {
 public:
  Worker(const WorkerParams& params, const NodeSpec& self);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Reserve&);
  void on_message(Turn& turn, const Endpoint& from, const Tasks&);
  void on_message(Turn& turn, const Endpoint& from, const DoneAck&);
  void on_message(Turn& turn, const Endpoint& from, const RenewAck&);
  void on_message(Turn& turn, const Endpoint& from, const Remaining&);
  void on_message(Turn& turn, const Endpoint& from, const Cancel&);
  void on_message(Turn& turn, const Endpoint& from, const Kill&);
  void on_exits(Turn& turn, std::span<const Exit> exits);
  void drain(Turn& turn, const Surroundings& around, bool on);

  /// The tickets of each class on this node from now on; none: classes do not matter. Those of a
  /// class not named count as the default class's.
  void set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets);
  /// What each class used since the last call, of `tickets` in all, and what waits. By class, at
  /// most books::Classes::kClassesMax. See Workload::take.
  std::vector<books::Use> take_uses(Time now, Tickets tickets);

  void wake(Turn& turn);
  Time deadline() const { return deadlines_.earliest(); }

  Load load() const;
  bool draining() const { return draining_; }
  const Resources& total() const { return total_; }
  /// Not held and not in use.
  const Resources& free() const { return free_; }
  const std::vector<RunningTask>& running() const { return running_; }
  const std::vector<PendingRequest>& asking() const { return asking_; }
  const Queue& queue() const { return queue_; }
  const Outbox& outbox() const { return outbox_; }

 private:
  enum class Timer { asking, limits, renew, queue, outbox, count_ };

  /// Who gets the next slot.
  struct Due {
    enum class From {
      queue,  ///< An element of the queue.
      round,  ///< One of asking_ that is not sent yet: it asks for one more.
      asked,  ///< One of asking_ that awaits its answer: its job is asked a second time.
    };
    From from = From::queue;
    std::size_t index = 0;
  };

  // worker_dispatch.cc
  void dispatch(Turn& turn);
  void ask(Turn& turn, QueuedReservation reservation, std::uint16_t room);
  void send_get_task(Turn& turn, PendingRequest& asking);
  bool is_long(const Reserve& reserve) const;
  Resources room_for(const Reserve& reserve) const;
  std::size_t choose(Time now) const;
  Fit fit_of(const Reserve& reserve) const;
  std::optional<BounceReason> unfit(const Reserve& reserve) const;
  void bounce(Turn& turn, const QueuedReservation& reservation, BounceReason reason);
  void confirm(Turn& turn, std::size_t i);
  void hold(Time now, ClassId class_id, const Resources& demand, std::uint32_t count = 1);
  void release(Time now, ClassId class_id, const Resources& demand, std::uint32_t count = 1);

  // worker_classes.cc: what differs while classes have tickets
  bool by_class() const;
  ClassShares& the_shares(Time now);
  void count_all(Time now, bool held);
  std::vector<ClassId> contenders() const;
  void contend(Time now);
  Stride outlook(Time now) const;
  std::optional<Due> due(const Stride& outlook, Time now, std::size_t asked) const;
  bool wants_more(const Reserve& asked) const;
  bool keeps_room_for(const QueuedReservation& first, const Reserve& other, Time now) const;
  void dispatch_by_class(Turn& turn);

  // worker_crowd.cc
  std::optional<std::size_t> eviction_candidate(const Reserve& reserve, Time now) const;
  bool stays(const Reserve& reserve) const;
  std::uint32_t ahead_of(std::size_t i, Time now) const;
  double work_ahead(const Reserve& reserve, Time now) const;

  // worker_walk.cc
  static double half_work(const QueuedReservation& waiting);
  Duration wait_of(const Reserve& reserve, Time now) const;
  void consider(Time now, Reserve& reserve) const;
  bool walk_on(Turn& turn, const Surroundings& around, const Reserve& reserve);
  bool pass_on(Turn& turn, const Surroundings& around, const Reserve& reserve);

  // worker_tasks.cc
  void refuse(Turn& turn, const Endpoint& to, const Tasks& tasks, std::size_t first);
  void start(Turn& turn, const PendingRequest& asked, const Tasks& tasks, const Assignment& task);
  void stop(Turn& turn, RunningTask& running, Outcome outcome);
  bool holds(const TaskId& task, std::uint16_t attempt) const;
  void enforce_limits(Turn& turn);
  void renew(Turn& turn);
  void reap(Turn& turn);
  void heard(Time now, PeerId frontend);
  void send_reports(Turn& turn);

  bool knows(const Reserve& reserve) const;
  void schedule(Time now);

  WorkerParams params_;
  Endpoint self_;
  std::uint32_t incarnation_;
  std::vector<Attribute> attributes_;
  Resources total_;
  Resources free_;
  std::uint32_t express_cpu_;  ///< Of it, not for long tasks.
  bool draining_ = false;
  std::uint32_t request_last_ = 0;
  Queue queue_;
  ExhaustedGroups served_;
  std::vector<PendingRequest> asking_;
  std::vector<RunningTask> running_;
  Outbox outbox_;
  std::vector<FrontendLease> leases_;    ///< Of frontends with something here.
  std::unique_ptr<ClassShares> shares_;  ///< Once somebody asked for uses or gave tickets.
  overlay::Deadlines<Timer> deadlines_;
};

}  // namespace dunlin::sched
