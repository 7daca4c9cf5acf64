// SPDX-License-Identifier: MIT
#include "sched/worker/reservations.h"

#include <utility>

#include "sched/job.h"
#include "sched/packing/sums.h"
#include "sched/worker/loans/borrower.h"
#include "sched/worker/preemption.h"
#include "sched/worker/wait.h"
#include "sched/worker/walk/walk.h"

// A reservation that comes is served at once if the dispatcher would serve it next. Otherwise it
// walks on, and waits only where its walk ends: a frontend sends two or more for each task, so most
// nodes on the way have nothing to do for it. A queue keeps one reservation of a group, since one
// can ask for many tasks. A full queue turns newcomers away, unless the dispatcher names one that
// leaves for them.
namespace dunlin::sched {

bool Reservations::knows(const Reserve& reserve) const {
  return parts_.queue.holds_probe(reserve.job, reserve.probe) ||
      parts_.requests.holds_probe(reserve.job, reserve.probe);
}

/// Why tasks of `reserve` cannot be asked for here, if they cannot.
std::optional<BounceReason> Reservations::unwelcome(Time now, const Reserve& reserve) const {
  const bool rests = is_for_inputs_elsewhere(reserve) && parts_.borrower != nullptr &&
      parts_.borrower->rests(reserve.job, reserve.group, now);
  return rests ? BounceReason::queue_full : parts_.slots.unfit(reserve);
}

Arrival Reservations::arrive(
    Turn& turn, const Surroundings& around, const Dispatcher& dispatcher, const Reserve& reserve) {
  if (knows(reserve)) return Arrival::gone;  // The network delivered it twice.
  if (exhausted_.covers(turn.now, reserve)) return Arrival::gone;
  QueuedReservation newcomer = arriving(reserve, turn.now);
  newcomer.reserve.task_time = sane_task_time(reserve.task_time);
  settle_place(newcomer.reserve);
  parts_.task_times.learn(newcomer.reserve.task_time);
  parts_.discipline.weigh(newcomer);
  newcomer.next_confirm = turn.now + params_.queue_renew;
  if (const auto reason = unwelcome(turn.now, newcomer.reserve)) {
    if (!pass_on(turn, around, self_.id, reserve)) bounce(turn, newcomer, *reason);
    return Arrival::gone;
  }
  Queue& queue = parts_.queue;
  const bool duplicate = queue.holds(reserve.job, reserve.group);
  if (!duplicate) {
    // It joins the queue for the moment of the comparison, and stays if it is served next.
    queue.push(std::move(newcomer));
    if (dispatcher.choose(turn.now) == queue.size() - 1) return Arrival::starts;
    newcomer = queue.take(queue.size() - 1);
  }
  std::optional<std::size_t> leaving;
  if (queue.full()) leaving = dispatcher.eviction_candidate(reserve, turn.now);
  const bool may_wait = !duplicate && (!queue.full() || leaving);
  const bool planned = parts_.planned != nullptr && parts_.planned->has(reserve.job);
  if (!reserve.settled && !(may_wait && (planned || dispatcher.ends_walk(reserve)))) {
    if (may_wait) note_wait(dispatcher, newcomer, turn.now);
    if (pass_on(turn, around, self_.id, newcomer.reserve)) return Arrival::gone;
  }
  if (!may_wait) {
    bounce(turn, newcomer, duplicate ? BounceReason::duplicate : BounceReason::queue_full);
    return Arrival::gone;
  }
  if (leaving) bounce(turn, queue.take(*leaving), BounceReason::queue_full);
  queue.push(std::move(newcomer));
  confirm(turn, dispatcher, queue.size() - 1);
  return Arrival::waits;
}

/// Serves `newcomer` if a reservation of its group would be served now, were it in the queue, too.
bool Reservations::admit(
    Time now, Dispatcher& dispatcher, const QueuedReservation& newcomer) const {
  Queue& queue = parts_.queue;
  if (parts_.slots.unfit(newcomer.reserve) || queue.full()) return false;
  // It joins the queue for the moment of the comparison, and its class wants something meanwhile.
  queue.push(newcomer);
  const auto next = dispatcher.choose(now);
  const Reserve& own = newcomer.reserve;
  // Another reservation of its group asks for the same tasks.
  const bool is_next =
      next && queue[*next].reserve.job == own.job && queue[*next].reserve.group == own.group;
  if (is_next) dispatcher.serve(now, own);
  (void)queue.take(queue.size() - 1);
  return is_next;
}

bool Reservations::serve(Time now, Dispatcher& dispatcher, QueuedReservation newcomer) const {
  parts_.discipline.weigh(newcomer);
  return admit(now, dispatcher, newcomer);
}

bool Reservations::ask(Turn& turn, Dispatcher& dispatcher, QueuedReservation newcomer) const {
  const Reserve& reserve = newcomer.reserve;
  if (exhausted_.covers(turn.now, reserve)) return true;  // No task of it is left.
  parts_.discipline.weigh(newcomer);
  const std::uint16_t room = parts_.room_for(reserve);
  if (!admit(turn.now, dispatcher, newcomer)) return false;
  const std::uint32_t slots_max = parts_.slots_max(reserve);
  parts_.requests.ask(turn, std::move(newcomer), room, slots_max);
  return true;
}

/// Writes down in the reservation how long it would wait here, if that is the shortest so far.
void Reservations::note_wait(
    const Dispatcher& dispatcher, QueuedReservation& newcomer, Time now) const {
  Reserve& reserve = newcomer.reserve;
  const bool makes_room =
      parts_.preemption != nullptr && parts_.preemption->can_make_room(reserve, now);
  const Duration wait = makes_room
      ? Duration{0}
      : expected_wait(parts_, reserve.demand, dispatcher.work_ahead(newcomer, now), now);
  if (reserve.best_node != PeerId{} && reserve.best_wait <= wait) return;
  reserve.best_node = self_.id;
  reserve.best = self_.address;
  reserve.best_wait = wait;
}

void Reservations::requeue(
    Turn& turn, QueuedReservation reservation, const Tasks& answer, std::uint16_t left) {
  Reserve& reserve = reservation.reserve;
  Queue& queue = parts_.queue;
  if (reservation.once) return;
  if (parts_.slots.closed() || queue.full() || queue.holds(reserve.job, reserve.group)) return;
  reserve.tasks_max = left;
  reserve.task_time = sane_task_time(answer.task_time);
  reserve.work = answer.work;
  learn_place(reserve, answer.inputs);
  if (!reserve.extent.empty()) {
    // Until its frontend tells more: these do not wait any longer, and are held.
    Extent& extent = reserve.extent.front();
    const auto bound = static_cast<double>(answer.tasks.size());
    packing::add_work(extent.work, reserve.demand, -bound, reserve.task_time);
    packing::add(extent.held, reserve.demand, bound);
  }
  parts_.discipline.weigh(reservation);
  reservation.overtaken = turn.now;
  reservation.next_confirm = turn.now + params_.queue_renew;
  // Tasks longer than the frontend first told may have no place here: they would wait forever.
  if (const auto reason = unwelcome(turn.now, reserve))
    bounce(turn, reservation, *reason);
  else
    queue.push(std::move(reservation));
}

void Reservations::cancel(Time now, const Cancel& cancel) {
  exhausted_.learn(now, cancel.job, cancel.group, cancel.served_to);
  parts_.queue.erase(cancel.job, cancel.group);
}

void Reservations::learn(Time now, const Tasks& tasks) {
  exhausted_.learn(now, tasks.job, tasks.group, tasks.served_to);
}

bool Reservations::learn(Turn& turn, const Remaining& told) {
  const Duration length = sane_task_time(told.task_time);
  bool better = false;
  Queue& queue = parts_.queue;
  for (std::size_t i = queue.size(); i-- > 0;) {
    Reserve& reserve = queue[i].reserve;
    if (reserve.job != told.job) continue;
    reserve.work = told.work;
    if (reserve.group == told.group) {
      better = better || length < reserve.task_time;
      reserve.task_time = length;
      if (told.has_terms) {
        // As one that comes with them: it may be due before others, or stop them.
        better = better || told.priority != reserve.priority || told.deadline != reserve.deadline ||
            (told.urgent && !reserve.urgent);
        reserve.priority = told.priority;
        reserve.deadline = told.deadline;
        reserve.urgent = told.urgent;
      }
      const bool was_here = is_for_inputs_here(reserve);
      learn_place(reserve, told.inputs);
      better = better || was_here != is_for_inputs_here(reserve);
    }
    parts_.discipline.weigh(queue[i]);
    if (const auto reason = unwelcome(turn.now, reserve)) bounce(turn, queue.take(i), *reason);
  }
  return better;
}

void Reservations::turn_away(Turn& turn, const JobId& job, std::uint16_t group) {
  Queue& queue = parts_.queue;
  for (std::size_t i = queue.size(); i-- > 0;) {
    const Reserve& reserve = queue[i].reserve;
    if (reserve.job != job || reserve.group != group) continue;
    if (const auto reason = unwelcome(turn.now, reserve)) bounce(turn, queue.take(i), *reason);
  }
}

void Reservations::learn(const TellExtent& told) {
  Queue& queue = parts_.queue;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    Reserve& reserve = queue[i].reserve;
    if (reserve.job != told.job) continue;
    // What its group has finished is news for that group alone.
    const bool of_group = reserve.group == told.group;
    const std::uint16_t finished =
        of_group || reserve.extent.empty() ? 0 : reserve.extent.front().finished;
    reserve.extent = {told.extent};
    if (!of_group) reserve.extent.front().finished = finished;
    parts_.discipline.weigh(queue[i]);
  }
}

void Reservations::confirm_due(Turn& turn, const Dispatcher& dispatcher) {
  for (std::size_t i = 0; i < parts_.queue.size(); ++i) {
    if (parts_.queue[i].next_confirm <= turn.now) confirm(turn, dispatcher, i);
  }
}

void Reservations::leave(Turn& turn, const Surroundings& around, BounceReason reason) {
  for (const QueuedReservation& waiting : parts_.queue.take_all()) {
    if (pass_on(turn, around, self_.id, waiting.reserve)) continue;
    bounce(turn, waiting, reason);
  }
}

void Reservations::confirm(Turn& turn, const Dispatcher& dispatcher, std::size_t i) {
  QueuedReservation& waiting = parts_.queue[i];
  Reserve& reserve = waiting.reserve;
  const std::uint32_t ahead = dispatcher.ahead_of(i, turn.now);
  turn.events.on(ReservationQueued{reserve.job, reserve.probe, ahead});
  waiting.next_confirm = turn.now + params_.queue_renew;
  turn.out.send(waiting.frontend,
      Queued{.job = reserve.job,
          .group = reserve.group,
          .probe = reserve.probe,
          .ahead = ahead,
          .load = parts_.slots.load(parts_.queue.size()),
          .walk = consume_walk_report(reserve.walk, false),
          .packs = parts_.discipline.packer() != nullptr});
}

void Reservations::bounce(
    Turn& turn, const QueuedReservation& reservation, BounceReason reason) const {
  const Reserve& reserve = reservation.reserve;
  Walk walk = reserve.walk;
  turn.events.on(ReservationBounced{reserve.job, reserve.probe, reason});
  turn.out.send(reservation.frontend,
      Bounced{.job = reserve.job,
          .group = reserve.group,
          .probe = reserve.probe,
          .reason = reason,
          .load = parts_.slots.load(parts_.queue.size()),
          .walk = consume_walk_report(walk, false)});
}

}  // namespace dunlin::sched
