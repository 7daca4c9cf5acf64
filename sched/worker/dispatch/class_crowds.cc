// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/class_crowds.h"

#include <algorithm>
#include <vector>

#include "sched/worker/dispatch/planned_slots.h"

// A queue has a bound, and many jobs of one class would fill it: then no other class could wait
// here, and where nothing of a class waits it can have no share. So a full queue belongs to classes
// as the node does. A newcomer pushes out the last reservation of the class that has most
// reservations in proportion to its tickets.
//
// The same proportion says when a reservation is served: while its own class has k turns, another
// class has k × its tickets / the own tickets.
namespace dunlin::sched {
namespace {

/// The reservations that wait of a class.
struct Crowd {
  ClassId class_id = 0;
  std::uint32_t count = 0;
  std::size_t last = 0;  ///< The one that is served last.
};

}  // namespace

std::optional<std::size_t> crowded_element(const ClassQueue& queue, const Reserve& newcomer) {
  const ClassShares& shares = queue.shares;
  std::vector<Crowd> crowds = {{.class_id = shares.class_of(newcomer.class_id), .count = 1}};
  for (std::size_t i = 0; i < queue.waiting.size(); ++i) {
    const QueuedReservation& waiting = queue.waiting[i];
    const ClassId class_id = shares.class_of(waiting.reserve.class_id);
    auto crowd = std::ranges::find(crowds, class_id, &Crowd::class_id);
    if (crowd == crowds.end()) crowd = crowds.insert(crowd, {.class_id = class_id, .last = i});
    ++crowd->count;
    if (serves_before(queue.discipline, queue.waiting[crowd->last], waiting, queue.at)) {
      crowd->last = i;
    }
  }
  const auto excess = [&](const Crowd& crowd) {
    return crowd.count / shares.stride().portion(crowd.class_id);
  };
  const auto largest = std::ranges::max_element(crowds, {}, excess);
  if (largest == crowds.begin()) return std::nullopt;
  return largest->last;
}

std::uint32_t ahead_by_class(const ClassQueue& queue, std::size_t i) {
  const QueuedReservation& self = queue.waiting[i];
  const ClassId own = queue.shares.class_of(self.reserve.class_id);
  std::uint32_t before = 0;
  std::vector<Crowd> others;
  for (const QueuedReservation& other : queue.waiting) {
    const ClassId class_id = queue.shares.class_of(other.reserve.class_id);
    if (class_id == own) {
      if (serves_before(queue.discipline, other, self, queue.at)) ++before;
      continue;
    }
    auto crowd = std::ranges::find(others, class_id, &Crowd::class_id);
    if (crowd == others.end()) crowd = others.insert(crowd, {.class_id = class_id});
    ++crowd->count;
  }
  const Stride& stride = queue.shares.stride();
  const double turns = (before + 1) / stride.portion(own);
  std::uint32_t ahead = before;
  for (const Crowd& other : others) {
    ahead += static_cast<std::uint32_t>(
        std::min<double>(other.count, turns * stride.portion(other.class_id)));
  }
  return ahead;
}

double work_ahead_by_class(const ClassQueue& queue, const QueuedReservation& newcomer) {
  const ClassId own = queue.shares.class_of(newcomer.reserve.class_id);
  const Stride& stride = queue.shares.stride();
  double own_work = 0;
  double all_work = 0;
  double portions = stride.portion(own);
  std::vector<ClassId> seen = {own};
  for (const QueuedReservation& other : queue.waiting) {
    const ClassId class_id = queue.shares.class_of(other.reserve.class_id);
    const double work = half_work(other);
    if (std::ranges::find(seen, class_id) == seen.end()) {
      seen.push_back(class_id);
      portions += stride.portion(class_id);
    }
    if (class_id != own) all_work += work;
    if (class_id == own && serves_before(queue.discipline, other, newcomer, queue.at)) {
      own_work += work;
      all_work += work;
    }
  }
  return std::min(all_work, own_work * portions / stride.portion(own));
}

}  // namespace dunlin::sched
