// SPDX-License-Identifier: MIT
#include "sim/baseline/packing/bound.h"

#include <algorithm>

#include "sim/clock.h"

namespace dunlin::sim {
namespace {

/// Sums of doubles drift: by less than this part of what there is.
constexpr double kDrift = 1e-9;

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
  for (std::size_t r = 0; r < kResourceKinds; ++r) {
    if (total_[r] > 0 && demand[r] > free_[r] + kDrift * total_[r]) return false;
  }
  return true;
}

void Bound::place(const PlacedJob& job) {
  entries_.push_back({job, std::make_unique<Claim>(job->job, entries_.size())});
  serve();
}

void Bound::on_end(std::uint32_t, const Work& work, Duration) {
  const auto entry = std::ranges::find(entries_, work.job, &Entry::job);
  const std::size_t stage = work.in_group().group;
  const Usage demand = usage_of(entry->claim->group(stage).demand);
  for (std::size_t r = 0; r < kResourceKinds; ++r) free_[r] += demand[r];
  entry->claim->end(stage);
  if (entry->claim->over()) entries_.erase(entry);
}

void Bound::serve() {
  std::vector<Entry*> order;
  order.reserve(entries_.size());
  for (Entry& each : entries_) order.push_back(&each);
  std::ranges::stable_sort(
      order, {}, [&](const Entry* each) { return sum_of_shares(each->claim->work(), total_); });
  for (Entry* const each : order) {
    Claim& claim = *each->claim;
    for (std::size_t stage = 0; stage < claim.stages().size(); ++stage) {
      const Usage demand = usage_of(claim.group(stage).demand);
      while (claim.waiting(stage) > 0 && fits(demand)) {
        for (std::size_t r = 0; r < kResourceKinds; ++r) free_[r] -= demand[r];
        start(next_, {.job = each->job, .index = claim.start(stage, next_, false)}, now());
        next_ = (next_ + 1) % machines();
      }
    }
  }
}

}  // namespace dunlin::sim
