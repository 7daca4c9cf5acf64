// SPDX-License-Identifier: MIT
// The part of a worker that chooses which reservations ask for tasks, and tells frontends of those
// that wait or cannot.
#include <algorithm>
#include <utility>

#include "sched/constraints.h"
#include "sched/resources.h"
#include "sched/worker/share/class_shares.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {
namespace {

/// A walk's tale is told once; later messages of the same reservation tell nothing new.
Walk told(Walk& walk, bool started) {
  walk.greedy_hits = walk.last_greedy && started ? 1 : 0;
  const Walk tale = walk;
  walk.greedy_hops = 0;
  walk.last_greedy = false;
  return tale;
}

}  // namespace

bool Worker::is_long(const Reserve& reserve) const {
  return reserve.task_time > params_.express_limit;
}

Resources Worker::room_for(const Reserve& reserve) const {
  Resources room = free_;
  if (express_cpu_ == 0 || !is_long(reserve)) return room;
  std::uint32_t used = 0;
  for (const RunningTask& running : running_) {
    if (running.task_time > params_.express_limit) used += running.demand.cpu;
  }
  for (const PendingRequest& asking : asking_) {
    const Reserve& asked = asking.reservation.reserve;
    if (is_long(asked)) used += asked.demand.cpu * asking.room;
  }
  const std::uint32_t most = total_.cpu - express_cpu_;
  room.cpu = std::min(room.cpu, used < most ? most - used : 0);
  return room;
}

std::optional<BounceReason> Worker::unfit(const Reserve& reserve) const {
  if (!fits(reserve.demand, total_)) return BounceReason::never_fits;
  if (is_long(reserve) && reserve.demand.cpu > total_.cpu - express_cpu_) {
    return BounceReason::express;
  }
  if (!satisfies_all(attributes_, reserve.constraints)) return BounceReason::constraint;
  if (draining_) return BounceReason::draining;
  return std::nullopt;
}

std::size_t Worker::choose(Time now) const {
  if (by_class()) {
    const auto next = due(outlook(now), now, asking_.size());
    return next && next->from == Due::From::queue ? next->index : queue_.size();
  }
  return queue_.choose([this](const Reserve& reserve) { return fit_of(reserve); }, now);
}

Fit Worker::fit_of(const Reserve& reserve) const {
  if (!fits(reserve.demand, free_)) return Fit::no;
  return fits(reserve.demand, room_for(reserve)) ? Fit::yes : Fit::barred;
}

void Worker::dispatch(Turn& turn) {
  if (draining_) return;
  if (by_class()) return dispatch_by_class(turn);
  for (std::size_t i = choose(turn.now); i < queue_.size(); i = choose(turn.now)) {
    QueuedReservation next = queue_.take(i);
    const Reserve& reserve = next.reserve;
    const auto most = std::clamp<std::uint32_t>(reserve.most, 1, kRoomMax);
    const auto room =
        static_cast<std::uint16_t>(how_many_fit(reserve.demand, room_for(reserve), most));
    ask(turn, std::move(next), room);
  }
}

void Worker::ask(Turn& turn, QueuedReservation reservation, std::uint16_t room) {
  hold(turn.now, reservation.reserve.class_id, reservation.reserve.demand, room);
  asking_.push_back(
      {.request = ++request_last_, .reservation = std::move(reservation), .room = room});
  send_get_task(turn, asking_.back());
}

void Worker::send_get_task(Turn& turn, PendingRequest& asking) {
  Reserve& reserve = asking.reservation.reserve;
  asking.again = turn.now + params_.ask_timeout * (1 << (asking.tries - 1));
  turn.out.send(asking.reservation.frontend,
      GetTask{.job = reserve.job,
          .group = reserve.group,
          .probe = reserve.probe,
          .request = asking.request,
          .incarnation = incarnation_,
          .room = asking.room,
          .load = load(),
          .walk = told(reserve.walk, true)});
}

void Worker::hold(Time now, ClassId class_id, const Resources& demand, std::uint32_t count) {
  take(free_, demand, count);
  if (shares_) {
    shares_->hold(now, class_id, std::uint64_t{dominant_part(demand, total_)} * count);
  }
}

void Worker::release(Time now, ClassId class_id, const Resources& demand, std::uint32_t count) {
  give(free_, demand, count);
  if (shares_) {
    shares_->release(now, class_id, std::uint64_t{dominant_part(demand, total_)} * count);
  }
}

void Worker::bounce(Turn& turn, const QueuedReservation& reservation, BounceReason reason) {
  const Reserve& reserve = reservation.reserve;
  Walk walk = reserve.walk;
  turn.events.on(ReservationBounced{reserve.job, reserve.probe, reason});
  turn.out.send(reservation.frontend,
      Bounced{.job = reserve.job,
          .group = reserve.group,
          .probe = reserve.probe,
          .reason = reason,
          .load = load(),
          .walk = told(walk, false)});
}

void Worker::confirm(Turn& turn, std::size_t i) {
  QueuedReservation& waiting = queue_.waiting()[i];
  Reserve& reserve = waiting.reserve;
  const std::uint32_t ahead = ahead_of(i, turn.now);
  turn.events.on(ReservationQueued{reserve.job, reserve.probe, ahead});
  waiting.next_confirm = turn.now + params_.queue_renew;
  turn.out.send(waiting.frontend,
      Queued{.job = reserve.job,
          .group = reserve.group,
          .probe = reserve.probe,
          .ahead = ahead,
          .load = load(),
          .walk = told(reserve.walk, false)});
}

}  // namespace dunlin::sched
