// SPDX-License-Identifier: MIT
#include "sched/worker/queue.h"

#include <algorithm>
#include <utility>

// A vector, searched from one end to the other. It is short: `worker.queue_max` bounds it, and the
// order of service changes with time, so that no sorted container would stay sorted. Elements stay
// in the order in which they came, which makes every walk over them the same on every run.
namespace dunlin::sched {

QueuedReservation& Queue::operator[](std::size_t i) {
  ensure(i < waiting_.size(), "no such reservation");
  return waiting_[i];
}

void Queue::push(QueuedReservation reservation) {
  ensure(size() <= size_max_, "a reservation too many for a full queue");
  waiting_.push_back(std::move(reservation));
}

QueuedReservation Queue::take(std::size_t i) {
  QueuedReservation taken = std::move((*this)[i]);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  return taken;
}

std::vector<QueuedReservation> Queue::take_all() {
  return std::exchange(waiting_, {});
}

bool Queue::holds(const JobId& job, std::uint16_t group) const {
  return std::ranges::any_of(waiting_, [&](const QueuedReservation& waiting) {
    return waiting.reserve.job == job && waiting.reserve.group == group;
  });
}

bool Queue::holds_probe(const JobId& job, std::uint32_t probe) const {
  return std::ranges::any_of(waiting_, [&](const QueuedReservation& waiting) {
    return waiting.reserve.job == job && waiting.reserve.probe == probe;
  });
}

std::size_t Queue::erase(const JobId& job, std::uint16_t group) {
  return std::erase_if(waiting_, [&](const QueuedReservation& waiting) {
    return waiting.reserve.job == job && waiting.reserve.group == group;
  });
}

void Queue::erase_of(PeerId frontend) {
  std::erase_if(
      waiting_, [&](const QueuedReservation& waiting) { return waiting.frontend.id == frontend; });
}

void Queue::erase_older(const JobId& job, std::uint32_t epoch) {
  std::erase_if(waiting_, [&](const QueuedReservation& waiting) {
    return waiting.reserve.job == job && waiting.reserve.epoch < epoch;
  });
}

Time Queue::next_confirm() const {
  Time earliest = kNever;
  for (const QueuedReservation& each : waiting_) earliest = std::min(earliest, each.next_confirm);
  return earliest;
}

}  // namespace dunlin::sched
