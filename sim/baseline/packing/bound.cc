// SPDX-License-Identifier: MIT
#include "sim/baseline/packing/bound.h"

#include <algorithm>
#include <utility>

#include "sim/clock.h"

namespace dunlin::sim {
namespace {

/// Sums of doubles drift: by less than this part of what there is.
constexpr double kDrift = 1e-9;

/// All machines are one here, so it says nothing on which of them a task is put: none may slow
/// another there.
Baseline::Options without_contention(Baseline::Options options) {
  options.contention = nullptr;
  return options;
}

}  // namespace

Bound::Bound(const Options& options, Recorder& recorder)
    : Baseline(without_contention(options), recorder) {
  for (std::uint32_t i = 0; i < machines(); ++i) {
    const Usage has = usage_of(total(i));
    for (std::size_t r = 0; r < kResourceKinds; ++r) total_[r] += has[r];
  }
  free_ = total_;
}

bool Bound::fits(const Usage& demand) const {
  // A resource that no machine declares is not scarce.
  for (std::size_t r = 0; r < kResourceKinds; ++r) {
    if (total_[r] > 0 && demand[r] > free_[r] + kDrift * total_[r]) return false;
  }
  return true;
}

void Bound::place(const PlacedJob& job) {
  const auto [at, is_new] = entries_.try_emplace(job->id());
  Entry& entry = at->second;
  entry.job = job;
  entry.claim = std::make_unique<Claim>(job->job, order_++);
  for (const sched::TaskGroup& group : job->job.groups) {
    entry.demands.push_back(usage_of(group.demand));
  }
  rank(entry);
  serve();
}

void Bound::on_end(std::uint32_t, const Work& work, Duration) {
  const auto entry = entries_.find(work.job->id());
  const std::size_t stage = work.in_group().group;
  for (std::size_t r = 0; r < kResourceKinds; ++r) free_[r] += entry->second.demands[stage][r];
  if (entry->second.claim->end(stage)) {  // Another stage may start.
    std::erase_if(waiting_, [&](const Place& place) { return place.entry == &entry->second; });
    rank(entry->second);
  }
  if (entry->second.claim->over()) entries_.erase(entry);
}

/// Gives it a place among those that wait, if any task of it does. Requires that it has none.
void Bound::rank(Entry& entry) {
  const Claim& claim = *entry.claim;
  bool waits = false;
  for (std::size_t stage = 0; stage < claim.stages().size(); ++stage) {
    waits = waits || claim.waiting(stage) > 0;
  }
  if (!waits) return;
  const Place place{sum_of_shares(claim.work(), total_), claim.order(), &entry};
  waiting_.insert(std::ranges::upper_bound(waiting_, place.key(), {}, &Place::key), place);
}

/// Starts what fits of a job. True if anything did.
bool Bound::start_tasks(Entry& entry) {
  Claim& claim = *entry.claim;
  bool any = false;
  for (std::size_t stage = 0; stage < claim.stages().size(); ++stage) {
    const Usage& demand = entry.demands[stage];
    while (claim.waiting(stage) > 0 && fits(demand)) {
      for (std::size_t r = 0; r < kResourceKinds; ++r) free_[r] -= demand[r];
      // Machines take the tasks in turn, for the record only: counted() is nothing, so each has
      // room.
      start(next_, {.job = entry.job, .index = claim.start(stage, next_, false)}, now());
      next_ = (next_ + 1) % machines();
      any = true;
    }
  }
  return any;
}

// Tens of thousands of jobs may wait, and a few of them start something: only these change places.
void Bound::serve() {
  std::vector<Entry*> changed;
  for (Place& place : waiting_) {
    if (!start_tasks(*place.entry)) continue;
    // Its place is emptied, not erased: the walk goes on over the same vector.
    changed.push_back(std::exchange(place.entry, nullptr));
  }
  if (changed.empty()) return;
  std::erase_if(waiting_, [](const Place& place) { return place.entry == nullptr; });
  for (Entry* const entry : changed) rank(*entry);
}

}  // namespace dunlin::sim
