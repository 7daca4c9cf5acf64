// SPDX-License-Identifier: MIT
// How classes stand in a worker's queue: who leaves a full one, and what comes before whom.
#include <algorithm>
#include <optional>

#include "sched/worker/share/class_shares.h"
#include "sched/worker/share/stride.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {
namespace {

/// What waits of a class.
struct Crowd {
  ClassId class_id = 0;
  std::uint32_t count = 0;
  std::size_t last = 0;  ///< Whoever is served last of them.
};

/// Of a job that has so many tasks left, one reservation more or less makes no difference.
constexpr std::uint16_t kManyTasks = 16;

}  // namespace

/// Of a full queue, which element leaves for a newcomer: the last of the class that is furthest
/// beyond its part of it. Empty if that is the newcomer's own.
std::optional<std::size_t> Worker::eviction_candidate(const Reserve& reserve, Time now) const {
  if (!by_class()) return std::nullopt;
  const std::vector<QueuedReservation>& waiting = queue_.waiting();
  std::vector<Crowd> crowds = {{.class_id = shares_->class_of(reserve.class_id), .count = 1}};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const ClassId class_id = shares_->class_of(waiting[i].reserve.class_id);
    auto crowd = std::ranges::find(crowds, class_id, &Crowd::class_id);
    if (crowd == crowds.end()) crowd = crowds.insert(crowd, {.class_id = class_id, .last = i});
    ++crowd->count;
    if (queue_.before(waiting[crowd->last], waiting[i], now)) crowd->last = i;
  }
  const auto* most = &*std::ranges::max_element(crowds, {},
      [&](const Crowd& crowd) { return crowd.count / shares_->stride().portion(crowd.class_id); });
  if (most == crowds.data()) return std::nullopt;
  return most->last;
}

/// Whether a reservation's walk ends here though nothing of it can start: a class can only have its
/// share of a node where it waits, so one of a job with many tasks does, until its class has that
/// share or waits already. Those of small jobs look further for room.
bool Worker::stays(const Reserve& reserve) const {
  if (!by_class() || reserve.most < kManyTasks) return false;
  const Stride& stride = shares_->stride();
  const ClassId own = shares_->class_of(reserve.class_id);
  if (static_cast<double>(stride.held(own)) >= kWholeNode * stride.portion(own)) return false;
  const auto of_class = [&](const Reserve& other) {
    return shares_->class_of(other.class_id) == own;
  };
  return std::ranges::none_of(queue_.waiting(), of_class, &QueuedReservation::reserve) &&
      std::ranges::none_of(asking_, of_class, [](const PendingRequest& asking) -> const Reserve& {
        return asking.reservation.reserve;
      });
}

/// How many of the queue are served before element i: of its own class, and of each other one as
/// many as its tickets are worth meanwhile.
std::uint32_t Worker::ahead_of(std::size_t i, Time now) const {
  if (!by_class()) return queue_.ahead_of(i, now);
  const std::vector<QueuedReservation>& waiting = queue_.waiting();
  const ClassId own = shares_->class_of(waiting[i].reserve.class_id);
  std::uint32_t before = 0;
  std::vector<Crowd> others;
  for (const QueuedReservation& other : waiting) {
    const ClassId class_id = shares_->class_of(other.reserve.class_id);
    if (class_id == own) {
      if (queue_.before(other, waiting[i], now)) ++before;
      continue;
    }
    auto crowd = std::ranges::find(others, class_id, &Crowd::class_id);
    if (crowd == others.end()) crowd = others.insert(crowd, {.class_id = class_id});
    ++crowd->count;
  }
  const Stride& stride = shares_->stride();
  const double turns = (before + 1) / stride.portion(own);
  std::uint32_t ahead = before;
  for (const Crowd& other : others) {
    ahead += static_cast<std::uint32_t>(
        std::min<double>(other.count, turns * stride.portion(other.class_id)));
  }
  return ahead;
}

/// Of what waits, the work in nanoseconds × milli-CPU that comes before a newcomer: its own
/// class's, which gets its part of the node alone, but never more than all there is.
double Worker::work_ahead(const Reserve& reserve, Time now) const {
  const ClassId own = shares_->class_of(reserve.class_id);
  const Stride& stride = shares_->stride();
  double own_work = 0;
  double all_work = 0;
  double portions = stride.portion(own);
  std::vector<ClassId> seen = {own};
  for (const QueuedReservation& other : queue_.waiting()) {
    const ClassId class_id = shares_->class_of(other.reserve.class_id);
    const double work = half_work(other);
    if (std::ranges::find(seen, class_id) == seen.end()) {
      seen.push_back(class_id);
      portions += stride.portion(class_id);
    }
    if (class_id != own) all_work += work;
    if (class_id == own && queue_.precedes(other, reserve, now)) {
      own_work += work;
      all_work += work;
    }
  }
  return std::min(all_work, own_work * portions / stride.portion(own));
}

}  // namespace dunlin::sched
