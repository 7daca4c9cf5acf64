// SPDX-License-Identifier: MIT
#include "sched/worker/worker.h"

#include <algorithm>
#include <utility>

#include "sched/task.h"
#include "sched/worker/class_dispatcher.h"
#include "sched/worker/packing/packing_dispatcher.h"

// A task comes here in three steps. A reservation arrives and waits (reservations.cc). A dispatcher
// serves it, by the discipline (flat_dispatcher.cc) or by the tickets of classes first
// (class_dispatcher.cc): its frontend is asked for tasks (pending_requests.cc). The answer starts
// them (running_tasks.cc). Whatever frees slots or changes the queue is followed by dispatch(), and
// whatever changes a time that a part waits for by schedule().
namespace dunlin::sched {

/// Everything about classes; a worker has it once they matter.
struct ClassDesk {
  ClassTally tally;
  ClassDispatcher dispatcher;

  ClassDesk(Time now, const WorkerParts& parts) : tally(now, parts), dispatcher(parts, tally) {}
};

ClassDesk& Worker::ensure_desk(Time now) {
  if (!classes_) {
    classes_ = std::make_unique<ClassDesk>(now, parts_);
    preemption_.follow(classes_->tally.shares());
  }
  return *classes_;
}

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
      health_(params_),
      queue_(params_.queue_max),
      discipline_(make_discipline(params_, self.total)),
      requests_(params_, incarnation_, slots_, queue_),
      running_(params_, slots_, reclaims(params, tracker)),
      frontends_(params_, incarnation_, running_, timers_),
      borrower_(params_, incarnation_),
      lender_(params_, slots_),
      users_(params_, slots_, queue_, requests_, running_),
      preemption_(params_, slots_, queue_, requests_, running_, planned_, &users_),
      tracker_(tracker, reclaims(params, tracker)),
      parts_{slots_, queue_, requests_, running_, *discipline_, task_times_, &planned_,
          &preemption_, &borrower_, &users_},
      reservations_(params_, self.endpoint, parts_),
      flat_(parts_) {
  if (discipline_->packer() == nullptr) return;
  packing_ = std::make_unique<PackingDispatcher>(parts_);
  dispatcher_ = packing_.get();
}

Worker::~Worker() = default;

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
  const Arrival arrival = reservations_.arrive(turn, around, *dispatcher_, reserve);
  // Only a frontend with something here gets a lease: hundreds of reservations pass for each that
  // stays.
  if (arrival == Arrival::gone) return;
  frontends_.heard(turn.now, frontend_of(reserve).id);
  if (arrival == Arrival::starts || preemption_.is_entitled(reserve)) dispatch(turn);
  schedule(turn.now);
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
  dispatch(turn);
  schedule(turn.now);
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
    dispatch(turn);
  }
  schedule(turn.now);
  return true;
}

void Worker::on_message(Turn& turn, const Endpoint& from, const DoneAck& ack) {
  if (frontends_.may_speak(from.id, ack.job)) frontends_.heard(turn.now, from.id);
  running_.outbox().acknowledge(turn, from.id, ack.job, ack.tasks);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint&, const HomeIs& told) {
  if (frontends_.hear(turn.now, told)) schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Remaining& remaining) {
  if (!frontends_.may_speak(from.id, remaining.job)) return;
  frontends_.heard(turn.now, from.id);
  // What seems shorter than before may have a place now, in the express share for one. What is
  // urgent may stop others.
  if (reservations_.learn(turn, remaining)) dispatch(turn);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const TellExtent& told) {
  if (!frontends_.may_speak(from.id, told.job)) return;
  frontends_.heard(turn.now, from.id);
  reservations_.learn(told);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Cancel& cancel) {
  if (!frontends_.may_speak(from.id, cancel.job)) return;
  frontends_.heard(turn.now, from.id);
  reservations_.cancel(turn.now, cancel);
  dispatch(turn);  // Room may have been kept for it.
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Kill& kill) {
  if (!frontends_.may_speak(from.id, kill.job)) return;
  frontends_.heard(turn.now, from.id);
  running_.kill(turn, from, kill);
  dispatch(turn);  // One may have waited for room that others can use.
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const RenewAck& ack) {
  if (!frontends_.may_speak(from.id, ack.job)) return;
  frontends_.heard(turn.now, from.id);
  if (!ack.has_priority || !set_priority(running_.tracked(), ack.job, ack.priority)) return;
  dispatch(turn);
  schedule(turn.now);
}

void Worker::on_exits(Turn& turn, const Surroundings& around, std::span<const Exit> exits) {
  const std::string before = health_.reason();
  for (const Exit& exit : exits) {
    health_.on_end(turn.now, exit.report);
    const std::optional<RunningTask> ended = running_.end(turn, exit);
    if (ended && is_success(exit.report)) speed_.learn(ended->measured, exit.report.wall);
    if (ended && classes_) classes_->tally.ran(ended->class_id, exit.report.cpu);
  }
  note_health(turn, around, before);
  // The news first: when it is asked for the next task, the frontend must be up to date.
  frontends_.send_reports(turn, load(), speed());
  dispatch(turn);
  schedule(turn.now);
}

void Worker::on_measured(Turn& turn, const Measured& measured) {
  tracker_.hear(turn.now, measured, running_.tracked(), slots_);
  dispatch(turn);
  schedule(turn.now);
}

void Worker::on_verdict(
    Turn& turn, const Surroundings& around, HealthJudge judge, std::string_view why) {
  const std::string before = health_.reason();
  health_.on_verdict(turn.now, judge, why);
  note_health(turn, around, before);
  preemption_.resume(turn);  // What waited for room may have left some.
  schedule(turn.now);
}

/// Tells of a change of health, and closes or opens the node by it.
void Worker::note_health(Turn& turn, const Surroundings& around, const std::string& before) {
  const std::string reason = health_.reason();
  if (reason == before) return;
  turn.events.on(HealthChanged{health_.sick(), reason});
  if (slots_.sick() == health_.sick()) return;
  slots_.fall_sick(health_.sick());
  if (!slots_.sick()) return;
  running_.give_back_waiting(turn);
  borrower_.follow(turn, running());
  reservations_.leave(turn, around, BounceReason::sick);
}

void Worker::drain(Turn& turn, const Surroundings& around, bool on) {
  if (slots_.draining() == on) return;
  slots_.drain(on);
  turn.events.on(DrainChanged{on, static_cast<std::uint32_t>(running().size())});
  if (on) reservations_.leave(turn, around, BounceReason::draining);
  schedule(turn.now);
}

void Worker::set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets) {
  if (!classes_ && tickets.empty()) return;
  ClassDesk& classes = ensure_desk(now);
  classes.tally.set_tickets(now, tickets);
  dispatcher_ = &without_classes();
  if (!tickets.empty()) dispatcher_ = &classes.dispatcher;
}

const ClassShares* Worker::shares() const {
  return classes_ ? &classes_->tally.shares() : nullptr;
}

std::vector<books::Use> Worker::take_uses(Time now, Tickets tickets) {
  return ensure_desk(now).tally.take_uses(now, tickets);
}

void Worker::set_allotments(Time now, std::span<const cell::Allotted> allotted) {
  planned_.set(allotted);
  if (params_.preempt != PreemptMode::plan) return;
  replanned_ = true;
  schedule(now);
}

std::vector<cell::Allotted> Worker::lacking_reservations() {
  if (planned_.empty() || slots_.closed()) return {};
  planned_.recount(running(), asking());
  return planned_.lacking(queue_, asking());
}

void Worker::wake(Turn& turn) {
  if (timers_.take(Timer::asking, turn.now)) {
    requests_.resend_due(turn);
    dispatch(turn);
  }
  if (timers_.take(Timer::preempt, turn.now)) {
    replanned_ = false;
    dispatch(turn);
  }
  if (timers_.take(Timer::limits, turn.now)) running_.enforce_limits(turn);
  if (timers_.take(Timer::loans, turn.now)) wake_loans(turn);
  if (timers_.take(Timer::queue, turn.now)) {
    frontends_.reap(turn, queue_);
    reservations_.confirm_due(turn, *dispatcher_);
    dispatch(turn);  // With time, more may be overtaken, or less.
  }
  if (timers_.take(Timer::renew, turn.now)) {
    frontends_.reap(turn, queue_);
    preemption_.resume(turn);
    frontends_.renew(turn, load(), away_);
  }
  if (timers_.take(Timer::outbox, turn.now)) frontends_.send_reports(turn, load(), speed());
  if (timers_.take(Timer::trial, turn.now) && health_.take_trial(turn.now)) {
    turn.executor.try_start();
  }
  schedule(turn.now);
}

void Worker::dispatch(Turn& turn) {
  borrower_.follow(turn, running());
  preemption_.resume(turn);
  if (slots_.closed()) return;
  planned_.ask_again(turn.now);
  dispatcher_->dispatch(turn);
  preemption_.ask(turn);
}

void Worker::schedule(Time now) {
  if (classes_) classes_->tally.contend(now);
  timers_.set(Timer::asking, requests_.next());
  timers_.set(Timer::limits, running_.next_limit());
  timers_.set(Timer::loans, std::min(borrower_.next(), lender_.next()));
  // Later than now, which may be the time of a turn that has woken this worker already.
  timers_.set(Timer::preempt, replanned_ ? now + Duration{1} : preemption_.next(now));
  timers_.set(Timer::queue, queue_.next_confirm());
  timers_.set(Timer::outbox, outbox().next());
  timers_.set(Timer::trial, health_.next_trial());
  if (running().empty()) {
    timers_.clear(Timer::renew);
  } else {
    timers_.no_later(Timer::renew, now + params_.renew);
  }
}

}  // namespace dunlin::sched
