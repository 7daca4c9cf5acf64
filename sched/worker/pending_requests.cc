// SPDX-License-Identifier: MIT
#include "sched/worker/pending_requests.h"

#include <algorithm>
#include <utility>

#include "sched/worker/walk/walk.h"

// Late binding: a reservation carries no task. When it is served, the worker holds the slots and
// asks the frontend, which hands out tasks to those that ask first. The slots idle for a round
// trip, and in return a task is never bound to a worker that is not ready for it.
//
// The question or the answer may be lost. So the question is repeated under the same number, and a
// frontend gives the same answer to the same number. After the last try the slots are given up,
// and tasks that still come in answer are refused: their frontend binds them elsewhere.
namespace dunlin::sched {

void PendingRequests::ask(
    Turn& turn, QueuedReservation reservation, std::uint16_t room, std::uint32_t slots_max) {
  slots_.hold(turn.now, footprint(reservation.reserve), room);
  pending_[open(std::move(reservation), slots_max)].room = room;
  send(turn, pending_.back());
}

void PendingRequests::ask_without_room(
    Turn& turn, QueuedReservation reservation, std::uint16_t room, std::uint32_t slots_max) {
  PendingRequest& request = pending_[open(std::move(reservation), slots_max)];
  request.room = room;
  request.preempts = true;
  send(turn, request);
}

void PendingRequests::release(Time now, const PendingRequest& request) {
  if (!request.preempts) slots_.release(now, footprint(request.reservation.reserve), request.room);
}

std::size_t PendingRequests::open(QueuedReservation reservation, std::uint32_t slots_max) {
  pending_.push_back({.request = ++request_last_,
      .reservation = std::move(reservation),
      .room = 0,
      .slots_max = slots_max});
  return pending_.size() - 1;
}

void PendingRequests::widen(Time now, std::size_t i) {
  slots_.hold(now, footprint(pending_[i].reservation.reserve));
  ++pending_[i].room;
}

void PendingRequests::send(Turn& turn, std::size_t i) {
  send(turn, pending_[i]);
}

void PendingRequests::send(Turn& turn, PendingRequest& request) const {
  Reserve& reserve = request.reservation.reserve;
  request.again = turn.now + params_.ask_timeout * (1 << (request.tries - 1));
  turn.out.send(request.reservation.frontend,
      GetTask{.job = reserve.job,
          .group = reserve.group,
          .probe = reserve.probe,
          .request = request.request,
          .incarnation = incarnation_.number,
          .room = request.room,
          .load = slots_.load(queue_.size()),
          .walk = consume_walk_report(reserve.walk, true),
          .since = incarnation_.since,
          .log = reserve.log,
          .slots_max = request.slots_max,
          .here = is_for_inputs_here(reserve)});
}

std::vector<PendingRequest>::iterator PendingRequests::asked_by(
    const Endpoint& from, const Tasks& tasks) {
  return std::ranges::find_if(pending_, [&](const PendingRequest& request) {
    return request.request == tasks.request && request.reservation.reserve.job == tasks.job &&
        request.reservation.frontend.id == from.id;
  });
}

const PendingRequest* PendingRequests::keep(Time now, const Endpoint& from, const Tasks& tasks) {
  const auto found = asked_by(from, tasks);
  if (found == pending_.end()) return nullptr;
  found->tries = 0;  // The next question is the first one of another round.
  found->again = now + kGathering;
  return &*found;
}

std::optional<PendingRequest> PendingRequests::take(
    Time now, const Endpoint& from, const Tasks& tasks) {
  const auto found = asked_by(from, tasks);
  if (found == pending_.end()) return std::nullopt;
  PendingRequest answered = std::move(*found);
  pending_.erase(found);
  release(now, answered);
  return answered;
}

void PendingRequests::resend_due(Turn& turn) {
  for (auto request = pending_.begin(); request != pending_.end();) {
    if (request->again > turn.now) {
      ++request;
    } else if (request->tries < params_.ask_tries) {
      ++request->tries;
      send(turn, *request);
      ++request;
    } else {
      // If the answer still comes, it is refused.
      release(turn.now, *request);
      request = pending_.erase(request);
    }
  }
}

Time PendingRequests::next() const {
  Time earliest = kNever;
  for (const PendingRequest& request : pending_) earliest = std::min(earliest, request.again);
  return earliest;
}

bool PendingRequests::holds_probe(const JobId& job, std::uint32_t probe) const {
  return std::ranges::any_of(pending_, [&](const PendingRequest& request) {
    const Reserve& reserve = request.reservation.reserve;
    return reserve.job == job && reserve.probe == probe;
  });
}

bool PendingRequests::wants_more(const Reserve& asked) const {
  std::uint32_t room = 0;
  for (const PendingRequest& request : pending_) {
    const Reserve& other = request.reservation.reserve;
    if (other.job == asked.job && other.group == asked.group) room += request.room;
  }
  return room < tasks_wanted(asked);
}

void PendingRequests::set_wanted(const JobId& job, std::uint16_t group, std::uint16_t left) {
  for (PendingRequest& request : pending_) {
    Reserve& asks = request.reservation.reserve;
    if (asks.job == job && asks.group == group) asks.tasks_max = left;
  }
}

double PendingRequests::work() const {
  double work = 0;
  for (const PendingRequest& request : pending_) {
    const Reserve& asked = request.reservation.reserve;
    work += static_cast<double>(asked.task_time.count()) * asked.demand.cpu * request.room;
  }
  return work;
}

}  // namespace dunlin::sched
