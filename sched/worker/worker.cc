// SPDX-License-Identifier: MIT
// What a worker does with reservations that come and go. worker_dispatch.cc chooses which of them
// ask for tasks, worker_classes.cc whose turn it is, worker_walk.cc sends them on, and
// worker_tasks.cc deals in tasks.
#include "sched/worker/worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sched/constraints.h"
#include "sched/job.h"
#include "sched/resources.h"
#include "sched/worker/share/class_shares.h"
namespace dunlin::sched {
namespace {

/// What a node keeps for short tasks, in milli-CPU: whole CPUs, as tasks want them. The fraction
/// that is left over is a whole CPU on so many nodes, by the chance of their ids.
std::uint32_t express_part(const WorkerParams& params, const NodeSpec& self) {
  const double cpus = params.express_share * self.total.cpu / 1000.0;
  std::uint64_t id = self.endpoint.id.value;
  const double chance = overlay::Rng(id).uniform();
  const double whole = std::floor(cpus) + (chance < cpus - std::floor(cpus) ? 1 : 0);
  return std::min(self.total.cpu, static_cast<std::uint32_t>(whole * 1000));
}

}  // namespace

Worker::Worker(const WorkerParams& params, const NodeSpec& self)
    : params_(params),
      self_(self.endpoint),
      incarnation_(self.incarnation),
      attributes_(self.attributes),
      total_(self.total),
      free_(self.total),
      express_cpu_(express_part(params, self)),
      queue_(params) {}

Worker::~Worker() = default;

Load Worker::load() const {
  return {.cpu_free = draining_ ? 0 : free_.cpu,
      .memory_free = draining_ ? 0 : free_.memory,
      .queued = static_cast<std::uint32_t>(queue_.size())};
}

bool Worker::knows(const Reserve& reserve) const {
  const auto same = [&](const QueuedReservation& other) {
    return other.reserve.job == reserve.job && other.reserve.probe == reserve.probe;
  };
  return std::ranges::any_of(queue_.waiting(), same) ||
      std::ranges::any_of(asking_, [&](const PendingRequest& a) { return same(a.reservation); });
}

void Worker::on_message(
    Turn& turn, const Surroundings& around, const Endpoint&, const Reserve& reserve) {
  if (knows(reserve)) return;  // The network said it twice.
  if (served_.covers(turn.now, reserve)) return;
  const Endpoint frontend{reserve.job.home, reserve.frontend};
  QueuedReservation reservation{.reserve = reserve,
      .frontend = frontend,
      .born = turn.now - reserve.waited,
      .arrived = turn.now,
      .next_confirm = turn.now + params_.queue_renew};
  reservation.reserve.task_time = sane_task_time(reserve.task_time);

  if (const auto reason = unfit(reserve)) {
    if (!pass_on(turn, around, reserve)) bounce(turn, reservation, *reason);
    return;
  }
  // Would the discipline start it now? Then its walk ends here.
  const bool duplicate = queue_.holds(reserve.job, reserve.group);
  if (!duplicate) {
    queue_.push(reservation);
    if (choose(turn.now) + 1 == queue_.size()) {
      heard(turn.now, frontend.id);
      dispatch(turn);
      schedule(turn.now);
      return;
    }
    queue_.take(queue_.size() - 1);
  }
  std::optional<std::size_t> leaving;
  if (queue_.full()) leaving = eviction_candidate(reserve, turn.now);
  const bool may_wait = !duplicate && (!queue_.full() || leaving);
  if (!reserve.settled && !(may_wait && stays(reserve))) {
    if (may_wait) consider(turn.now, reservation.reserve);
    if (pass_on(turn, around, reservation.reserve)) return;
  }
  if (!may_wait) {
    bounce(turn, reservation, duplicate ? BounceReason::duplicate : BounceReason::queue_full);
    return;
  }
  // Only of those that stay: hundreds pass through for each.
  heard(turn.now, frontend.id);
  if (leaving) bounce(turn, queue_.take(*leaving), BounceReason::queue_full);
  queue_.push(reservation);
  confirm(turn, queue_.size() - 1);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Tasks& tasks) {
  heard(turn.now, from.id);
  if (from.id == tasks.job.home) {
    served_.learn(turn.now, tasks.job, tasks.group, tasks.served_to);
  }
  const auto asked = std::ranges::find_if(asking_, [&](const PendingRequest& asking) {
    return asking.request == tasks.request && asking.reservation.reserve.job == tasks.job &&
        asking.reservation.frontend.id == from.id;
  });
  if (asked == asking_.end()) {
    refuse(turn, from, tasks, 0);
    return;
  }
  PendingRequest answered = std::move(*asked);
  asking_.erase(asked);
  Reserve& reserve = answered.reservation.reserve;
  const std::size_t count = std::min<std::size_t>(tasks.tasks.size(), answered.room);
  release(turn.now, reserve.class_id, reserve.demand, answered.room);
  for (std::size_t i = 0; i < count; ++i) start(turn, answered, tasks, tasks.tasks[i]);
  refuse(turn, from, tasks, count);
  // Others that ask for the same know now what is left: see dispatch_by_class().
  const auto left = static_cast<std::uint16_t>(
      count == 0 ? 0 : std::min<std::uint32_t>(tasks.remaining, kRoomMax));
  for (PendingRequest& other : asking_) {
    Reserve& asks = other.reservation.reserve;
    if (asks.job == reserve.job && asks.group == reserve.group) asks.most = left;
  }

  // More of the group wait: the reservation keeps its place, and asks again when there is room.
  if (count > 0 && tasks.remaining > 0 && !draining_ && !queue_.full() &&
      !queue_.holds(reserve.job, reserve.group)) {
    reserve.most = left;
    reserve.task_time = sane_task_time(tasks.task_time);
    reserve.work = tasks.work;
    answered.reservation.next_confirm = turn.now + params_.queue_renew;
    // Longer than it was said to be, it may have no place here: it would wait forever.
    if (const auto reason = unfit(reserve))
      bounce(turn, answered.reservation, *reason);
    else
      queue_.push(std::move(answered.reservation));
  }
  dispatch(turn);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Cancel& cancel) {
  if (from.id != cancel.job.home) return;
  heard(turn.now, from.id);
  served_.learn(turn.now, cancel.job, cancel.group, cancel.served_to);
  queue_.erase(cancel.job, cancel.group);
  dispatch(turn);  // It may have been what room was kept for.
  schedule(turn.now);
}

void Worker::drain(Turn& turn, const Surroundings& around, bool on) {
  if (draining_ == on) return;
  draining_ = on;
  turn.events.on(DrainChanged{on, static_cast<std::uint32_t>(running_.size())});
  if (on) {
    const std::vector<QueuedReservation> leaving = queue_.waiting();
    queue_.waiting().clear();
    for (const QueuedReservation& waiting : leaving) {
      if (!pass_on(turn, around, waiting.reserve)) bounce(turn, waiting, BounceReason::draining);
    }
  }
  schedule(turn.now);
}

void Worker::wake(Turn& turn) {
  if (deadlines_.take(Timer::asking, turn.now)) {
    for (PendingRequest& asking : asking_) {
      if (asking.again > turn.now) continue;
      if (asking.tries++ < params_.ask_tries) {
        send_get_task(turn, asking);
      } else {
        const Reserve& asked = asking.reservation.reserve;
        release(turn.now, asked.class_id, asked.demand, asking.room);
        asking.room = 0;  // Given up: if the answer still comes, it is refused.
      }
    }
    std::erase_if(asking_, [](const PendingRequest& asking) { return asking.room == 0; });
    dispatch(turn);
  }
  if (deadlines_.take(Timer::limits, turn.now)) enforce_limits(turn);
  if (deadlines_.take(Timer::queue, turn.now)) {
    reap(turn);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      if (queue_.waiting()[i].next_confirm <= turn.now) confirm(turn, i);
    }
    dispatch(turn);  // Waiting has changed who may overtake whom.
  }
  if (deadlines_.take(Timer::renew, turn.now)) {
    reap(turn);
    renew(turn);
  }
  if (deadlines_.take(Timer::outbox, turn.now)) send_reports(turn);
  schedule(turn.now);
}

void Worker::schedule(Time now) {
  contend(now);
  Time asking = kNever;
  for (const PendingRequest& a : asking_) asking = std::min(asking, a.again);
  Time limit = kNever;
  for (const RunningTask& r : running_) {
    if (!r.killed) limit = std::min(limit, r.limit);
  }
  Time confirm = kNever;
  for (const QueuedReservation& w : queue_.waiting()) confirm = std::min(confirm, w.next_confirm);
  deadlines_.set(Timer::asking, asking);
  deadlines_.set(Timer::limits, limit);
  deadlines_.set(Timer::queue, confirm);
  deadlines_.set(Timer::outbox, outbox_.next());
  if (running_.empty()) {
    deadlines_.clear(Timer::renew);
  } else {
    deadlines_.no_later(Timer::renew, now + params_.renew);
  }
}

}  // namespace dunlin::sched
