// SPDX-License-Identifier: MIT
#include "sched/worker/worker.h"

#include <algorithm>
#include <utility>

#include "sched/task.h"

// A task comes here in three steps. A reservation arrives and waits (reservations.cc). A dispatcher
// serves it, by the discipline (flat_dispatcher.cc) or by the tickets of classes first
// (class_dispatcher.cc): its frontend is asked for tasks (pending_requests.cc). The answer starts
// them (running_tasks.cc). follow_up.h says what comes after each step.
// Tasks may outlive the process of their worker: the next one takes them back.
namespace dunlin::sched {
namespace {

/// A worker that stops a task for another one counts on all that the task holds.
bool reclaims(const WorkerParams& params, const TrackerParams& tracker) {
  return tracker.reclaim == Reclaim::fluid && params.preempt == PreemptMode::off;
}

}  // namespace

Worker::Worker(const WorkerParams& params, const NodeSpec& self, const TrackerParams& tracker)
    : params_(params),
      incarnation_{.number = self.incarnation},
      slots_(params_, self),
      queue_(params_.queue_max),
      discipline_(make_discipline(params_, self.total)),
      requests_(params_, incarnation_, slots_, queue_),
      running_(params_, slots_, reclaims(params, tracker)),
      frontends_(params_, incarnation_, running_, timers_),
      loans_(params_, incarnation_, slots_, running_, reservations_, follow_up_),
      users_(params_, slots_, queue_, requests_, running_),
      preemption_(params_, slots_, queue_, requests_, running_, planned_, &users_),
      tracker_(tracker, reclaims(params, tracker)),
      parts_{slots_, queue_, requests_, running_, *discipline_, task_times_, &planned_,
          &preemption_, &loans_.borrower(), &users_},
      reservations_(params_, self.endpoint, parts_),
      classes_(parts_, preemption_),
      availability_(params_, slots_, running_, reservations_, loans_),
      follow_up_(params_, parts_, timers_, preemption_, classes_, loans_, availability_),
      words_(parts_, running_, reservations_, frontends_, follow_up_),
      starts_(running_, reservations_, preemption_, users_, classes_, frontends_, follow_up_),
      plan_(params_, parts_, follow_up_) {}

void Worker::on_message(
    Turn& turn, const Surroundings& around, const Endpoint&, const Reserve& reserve) {
  if (reserve.log != 0) {
    // A home that was deposed may not know yet. A new one counts its reservations anew.
    if (frontends_.homes().is_old(reserve.log, reserve.epoch)) return;
    if (frontends_.homes().find(reserve.log) != nullptr) {
      const TaskLog log{.log = reserve.log, .epoch = reserve.epoch};
      // The standbys come with its first tasks.
      if (frontends_.homes().find(reserve.log)->log.epoch < reserve.epoch) {
        frontends_.learn_home(turn.now, log, frontend_of(reserve));
      }
    }
    queue_.erase_older(reserve.job, reserve.epoch);
  }
  const Arrival arrival = reservations_.arrive(turn, around, classes_.dispatcher(), reserve);
  // Only a frontend with something here gets a lease: hundreds of reservations pass for each that
  // stays.
  if (arrival == Arrival::gone) return;
  frontends_.heard(turn.now, frontend_of(reserve).id);
  if (arrival == Arrival::starts || preemption_.is_entitled(reserve)) follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Tasks& tasks) {
  frontends_.heard(turn.now, from.id);
  // Its results would go to a home that acknowledges nothing any more. It hears of its successor
  // from that one.
  if (tasks.log != 0 && frontends_.homes().is_old(tasks.log, tasks.epoch)) {
    return running_.refuse(turn, from, tasks, 0);
  }
  frontends_.learn_home(turn.now, log_of(tasks), from);
  if (frontends_.may_speak(from.id, tasks.job)) reservations_.learn(turn.now, tasks);
  if (tasks.gathers && keep_slots(turn, from, tasks)) return;
  std::optional<PendingRequest> answered = requests_.take(turn.now, from, tasks);
  if (!answered) return running_.refuse(turn, from, tasks, 0);
  QueuedReservation& asked = answered->reservation;
  // A node that fell sick after it had asked gives all back, since they could not start.
  const std::size_t room = slots_.sick() ? 0 : answered->room;
  const std::size_t count =
      preemption_.start(turn, *answered, tasks, std::min(tasks.tasks.size(), room));
  running_.refuse(turn, from, tasks, count);
  // Other questions to the same group know now how much is left: see ClassDispatcher::dispatch().
  if (tasks.has_its_slots) planned_.satisfy(tasks.job, turn.now);
  // The reservation waits on, for tasks with their input elsewhere.
  const bool turns = tasks.tasks.empty() && is_for_inputs_here(asked.reserve);
  const bool waits = count > 0 || tasks.has_its_slots || turns;
  const auto left =
      static_cast<std::uint16_t>(waits ? std::min<std::uint32_t>(tasks.remaining, kRoomMax) : 0);
  requests_.set_wanted(asked.reserve.job, asked.reserve.group, left);
  if (left > 0) reservations_.requeue(turn, std::move(asked), tasks, left);
  follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

// The reservation goes on to wait, as if its first tasks had started: it asks for the next slots
// when it is the turn of its class and its own turn.
bool Worker::keep_slots(Turn& turn, const Endpoint& from, const Tasks& tasks) {
  const PendingRequest* const kept =
      slots_.closed() ? nullptr : requests_.keep(turn.now, from, tasks);
  if (kept == nullptr) return false;
  if (requests_.wants_more(kept->reservation.reserve)) {
    const auto left =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(tasks.remaining, kRoomMax));
    reservations_.requeue(turn, kept->reservation, tasks, left);
    follow_up_.dispatch(turn);
  }
  follow_up_.schedule(turn.now);
  return true;
}

void Worker::on_exits(Turn& turn, const Surroundings& around, std::span<const Exit> exits) {
  for (const Exit& exit : exits) {
    const std::optional<RunningTask> ended = running_.end(turn, exit);
    if (ended && is_success(exit.report)) plan_.learn(ended->measured, exit.report.wall);
    if (ended) classes_.ran(ended->class_id, exit.report.cpu);
  }
  availability_.on_exits(turn, around, exits);
  // The news first: when it is asked for the next task, the frontend must be up to date.
  frontends_.send_reports(turn, load(), plan_.speed());
  follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

void Worker::on_measured(Turn& turn, const Measured& measured) {
  tracker_.hear(turn.now, measured, running_.tracked(), slots_);
  follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

void Worker::on_verdict(
    Turn& turn, const Surroundings& around, HealthJudge judge, std::string_view why) {
  availability_.on_verdict(turn, around, judge, why);
  preemption_.resume(turn);  // What waited for room may have left some.
  follow_up_.schedule(turn.now);
}

void Worker::drain(Turn& turn, const Surroundings& around, bool on) {
  if (availability_.drain(turn, around, on)) follow_up_.schedule(turn.now);
}

void Worker::raise(Turn& turn, std::uint32_t incarnation) {
  incarnation_.number = incarnation;
  frontends_.renew(turn, load(), availability_.away());
}

void Worker::take_back(Turn& turn, std::uint32_t since, std::span<const KeptTask> kept) {
  incarnation_.since = std::min(since, incarnation_.number);
  running_.take_back(turn, kept);
  frontends_.take_back(turn.now, kept);
  preemption_.resume(turn);
  frontends_.renew(turn, load());
  frontends_.send_reports(turn, load(), plan_.speed());
  follow_up_.schedule(turn.now);
}

void Worker::pause(Turn& turn, const Surroundings& around) {
  availability_.pause(turn, around);
  frontends_.renew(turn, load(), availability_.away());
  follow_up_.schedule(turn.now);
}

void Worker::wake(Turn& turn) {
  if (timers_.take(Timer::asking, turn.now)) {
    requests_.resend_due(turn);
    follow_up_.dispatch(turn);
  }
  if (timers_.take(Timer::preempt, turn.now)) {
    follow_up_.end_replan();
    follow_up_.dispatch(turn);
  }
  if (timers_.take(Timer::limits, turn.now)) running_.enforce_limits(turn);
  if (timers_.take(Timer::loans, turn.now)) loans_.wake(turn);
  if (timers_.take(Timer::queue, turn.now)) {
    frontends_.reap(turn, queue_);
    reservations_.confirm_due(turn, classes_.dispatcher());
    follow_up_.dispatch(turn);  // With time, more may be overtaken, or less.
  }
  if (timers_.take(Timer::renew, turn.now)) {
    frontends_.reap(turn, queue_);
    preemption_.resume(turn);
    frontends_.renew(turn, load(), availability_.away());
  }
  if (timers_.take(Timer::outbox, turn.now)) frontends_.send_reports(turn, load(), plan_.speed());
  if (timers_.take(Timer::trial, turn.now) && availability_.take_trial(turn.now)) {
    turn.executor.try_start();
  }
  follow_up_.schedule(turn.now);
}

}  // namespace dunlin::sched
