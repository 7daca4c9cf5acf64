// SPDX-License-Identifier: MIT
// The half of a worker that deals in reservations; worker_tasks.cc deals in tasks.
#include "sched/worker/worker.h"

#include <algorithm>

#include "sched/constraints.h"
#include "sched/resources.h"

namespace dunlin::sched {
namespace {

/// Tasks asked for at once: the schema's bound on the answer.
constexpr std::uint16_t kRoomMax = 64;

/// A walk's tale is told once; later messages of the same reservation tell nothing new.
Walk told(Walk& walk, bool started) {
  walk.greedy_hits = walk.last_greedy && started ? 1 : 0;
  const Walk tale = walk;
  walk.greedy_hops = 0;
  walk.last_greedy = false;
  return tale;
}

}  // namespace

Worker::Worker(const WorkerParams& params, const NodeSpec& self)
    : params_(params),
      self_(self.endpoint),
      incarnation_(self.incarnation),
      attributes_(self.attributes),
      total_(self.total),
      free_(self.total),
      queue_(params) {}

Load Worker::load() const {
  return {.cpu_free = draining_ ? 0 : free_.cpu,
      .memory_free = draining_ ? 0 : free_.memory,
      .queued = static_cast<std::uint32_t>(queue_.size())};
}

bool Worker::knows(const Reserve& reserve) const {
  const auto same = [&](const Waiting& other) {
    return other.reserve.job == reserve.job && other.reserve.probe == reserve.probe;
  };
  return std::ranges::any_of(queue_.waiting(), same) ||
      std::ranges::any_of(asking_, [&](const Asking& a) { return same(a.reservation); });
}

std::optional<BounceReason> Worker::unfit(const Reserve& reserve) const {
  if (!fits(reserve.demand, total_)) return BounceReason::never_fits;
  if (!satisfies_all(attributes_, reserve.constraints)) return BounceReason::constraint;
  if (draining_) return BounceReason::draining;
  return std::nullopt;
}

void Worker::on_message(
    Turn& turn, const Surroundings& around, const Endpoint&, const Reserve& reserve) {
  if (knows(reserve)) return;  // The network said it twice.
  const Endpoint frontend{reserve.job.home, reserve.frontend};
  const Waiting reservation{.reserve = reserve,
      .frontend = frontend,
      .born = turn.now - reserve.waited,
      .arrived = turn.now,
      .next_confirm = turn.now + params_.queue_renew};

  if (const auto reason = unfit(reserve)) {
    if (!pass_on(turn, around, reserve)) bounce(turn, reservation, *reason);
    return;
  }
  heard(turn.now, frontend.id);

  // Would the discipline start it now? Then its walk ends here.
  const bool duplicate = queue_.holds(reserve.job, reserve.group);
  if (!duplicate) {
    queue_.push(reservation);
    const std::size_t chosen = queue_.choose(free_, turn.now);
    if (chosen + 1 == queue_.size()) {
      dispatch(turn);
      schedule(turn.now);
      return;
    }
    queue_.take(queue_.size() - 1);
  }
  if (pass_on(turn, around, reserve)) return;
  if (duplicate || queue_.full()) {
    bounce(turn, reservation, duplicate ? BounceReason::duplicate : BounceReason::queue_full);
    return;
  }
  queue_.push(reservation);
  confirm(turn, queue_.size() - 1);
  schedule(turn.now);
}

bool Worker::pass_on(Turn& turn, const Surroundings& around, const Reserve& reserve) {
  if (reserve.walk.hops_left == 0) return false;
  Reserve next = reserve;
  if (!next.walk.visited.try_push(self_.id.value)) return false;
  const Signature signature = demanded_signature(next.constraints, next.demand);
  const auto hop = draw_hop(around,
      {.demand = next.demand, .signature = signature, .visited = next.walk.visited}, next.walk,
      turn.rng);
  if (!hop) return false;
  --next.walk.hops_left;
  next.walk.greedy_hops = static_cast<std::uint8_t>(next.walk.greedy_hops + (hop->greedy ? 1 : 0));
  next.walk.last_greedy = hop->greedy;
  turn.events.on(ReservationForwarded{next.job, next.probe, hop->to.id, hop->greedy});
  turn.out.send(hop->to, next);
  return true;
}

void Worker::bounce(Turn& turn, const Waiting& reservation, BounceReason reason) {
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
  Waiting& waiting = queue_.waiting()[i];
  Reserve& reserve = waiting.reserve;
  const std::uint32_t ahead = queue_.ahead_of(i, turn.now);
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

void Worker::dispatch(Turn& turn) {
  if (draining_) return;
  for (std::size_t i = queue_.choose(free_, turn.now); i < queue_.size();
      i = queue_.choose(free_, turn.now)) {
    Waiting next = queue_.take(i);
    const Reserve& reserve = next.reserve;
    const auto most = std::clamp<std::uint32_t>(reserve.most, 1, kRoomMax);
    const auto room = static_cast<std::uint16_t>(how_many_fit(reserve.demand, free_, most));
    ask(turn, std::move(next), room);
  }
}

void Worker::ask(Turn& turn, Waiting reservation, std::uint16_t room) {
  take(free_, reservation.reserve.demand, room);
  asking_.push_back(
      {.request = ++request_last_, .reservation = std::move(reservation), .room = room});
  send_get_task(turn, asking_.back());
}

void Worker::send_get_task(Turn& turn, Asking& asking) {
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

void Worker::on_message(Turn& turn, const Endpoint& from, const Tasks& tasks) {
  heard(turn.now, from.id);
  const auto asked = std::ranges::find_if(asking_, [&](const Asking& asking) {
    return asking.request == tasks.request && asking.reservation.reserve.job == tasks.job &&
        asking.reservation.frontend.id == from.id;
  });
  if (asked == asking_.end()) {
    refuse(turn, from, tasks, 0);
    return;
  }
  Asking answered = std::move(*asked);
  asking_.erase(asked);
  Reserve& reserve = answered.reservation.reserve;
  const std::size_t count = std::min<std::size_t>(tasks.tasks.size(), answered.room);
  give(free_, reserve.demand, answered.room);
  for (std::size_t i = 0; i < count; ++i) start(turn, answered, tasks, tasks.tasks[i]);
  refuse(turn, from, tasks, count);

  // More of the group wait: the reservation keeps its place, and asks again when there is room.
  if (count > 0 && tasks.remaining > 0 && !draining_ && !queue_.full() &&
      !queue_.holds(reserve.job, reserve.group)) {
    reserve.most = static_cast<std::uint16_t>(std::min<std::uint32_t>(tasks.remaining, kRoomMax));
    answered.reservation.next_confirm = turn.now + params_.queue_renew;
    queue_.push(std::move(answered.reservation));
  }
  dispatch(turn);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Cancel& cancel) {
  if (from.id != cancel.job.home) return;
  heard(turn.now, from.id);
  queue_.erase(cancel.job, cancel.group);
  dispatch(turn);  // It may have been what room was kept for.
  schedule(turn.now);
}

void Worker::drain(Turn& turn, const Surroundings& around, bool on) {
  if (draining_ == on) return;
  draining_ = on;
  turn.events.on(DrainChanged{on, static_cast<std::uint32_t>(running_.size())});
  if (on) {
    const std::vector<Waiting> leaving = queue_.waiting();
    queue_.waiting().clear();
    for (const Waiting& waiting : leaving) {
      if (!pass_on(turn, around, waiting.reserve)) bounce(turn, waiting, BounceReason::draining);
    }
  }
  schedule(turn.now);
}

void Worker::wake(Turn& turn) {
  if (deadlines_.take(Timer::asking, turn.now)) {
    for (Asking& asking : asking_) {
      if (asking.again > turn.now) continue;
      if (asking.tries++ < params_.ask_tries) {
        send_get_task(turn, asking);
      } else {
        give(free_, asking.reservation.reserve.demand, asking.room);
        asking.room = 0;  // Given up: if the answer still comes, it is refused.
      }
    }
    std::erase_if(asking_, [](const Asking& asking) { return asking.room == 0; });
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
  Time asking = kNever;
  for (const Asking& a : asking_) asking = std::min(asking, a.again);
  Time limit = kNever;
  for (const Running& r : running_) {
    if (!r.killed) limit = std::min(limit, r.limit);
  }
  Time confirm = kNever;
  for (const Waiting& w : queue_.waiting()) confirm = std::min(confirm, w.next_confirm);
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
