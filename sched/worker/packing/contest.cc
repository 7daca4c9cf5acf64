// SPDX-License-Identifier: MIT
#include "sched/worker/packing/contest.h"

#include <algorithm>
#include <tuple>

#include "sched/resources.h"
#include "sched/worker/discipline/tetris.h"

// All that waits takes part in each choice, for what is free has changed since the last one. The
// packer compares jobs by what they hold. A frontend tells that of its own jobs; of others only
// what they hold here is known, and it stands for the whole.
//
// Tasks for which a plan has slots here go before all others, as under any discipline.
namespace dunlin::sched {

Contest::Contest(const WorkerParts& parts, const ServiceMoment& at, std::size_t size_max)
    : parts_(&parts),
      packer_(parts.discipline.packer()),
      at_(at),
      index_(size_max) {}

void Contest::add(const QueuedReservation& waiting, const Next& next, bool may_start) {
  const std::uint32_t job = index_.add(waiting.reserve.job);
  if (job == jobs_.size()) {
    jobs_.push_back(
        {.share = waiting.held.value_or(0), .submitted = waiting.born.time_since_epoch().count()});
    first_of_.push_back(&waiting);
  }
  if (may_start) entrants_.push_back({&waiting, next, job});
}

/// Adds what jobs are about to hold here; and of those of which nothing else is known, what they
/// hold here.
void Contest::count_held() {
  const auto hold = [&](const JobId& id, const Resources& demand, std::uint32_t tasks) {
    const auto job = index_.find(id);
    if (!job) return;
    jobs_[*job].share += tasks * packing::largest_of(packer_->dimensions().shares(demand));
  };
  for (const RunningTask& running : parts_->running.running()) {
    const auto job = index_.find(running.task.job);
    if (job && first_of_[*job]->held) continue;
    hold(running.task.job, running.demand, 1);
  }
  for (const PendingRequest& asking : parts_->requests.pending()) {
    const Reserve& reserve = asking.reservation.reserve;
    hold(reserve.job, reserve.demand, asking.room);
  }
}

packing::Shares Contest::weights() const {
  const packing::Dimensions& dimensions = packer_->dimensions();
  if (packer_->rules().scarcity == 0) return dimensions.all(1);
  packing::Shares backlog = dimensions.all(0);
  for (const QueuedReservation* waiting : first_of_) {
    const packing::Shares work = work_of(waiting->reserve, dimensions);
    for (std::size_t i = 0; i < work.size(); ++i) backlog[i] += work[i];
  }
  return packing::scarcity_weights(backlog, packer_->rules().scarcity);
}

/// Leaves those that the plan serves first, if it has slots for any.
void Contest::keep_planned(std::vector<Entrant>& entrants) const {
  if (at_.planned == nullptr || entrants.empty()) return;
  const auto key = [&](const Entrant& entrant) {
    const Reserve& reserve = entrant.waiting->reserve;
    const auto rank = at_.planned->rank(reserve);
    const auto own = at_.planned->own_rank(reserve);
    return std::tuple(!rank, rank.value_or(0), !own, own.value_or(0));
  };
  const auto best = key(*std::ranges::min_element(entrants, {}, key));
  std::erase_if(entrants, [&](const Entrant& entrant) { return key(entrant) != best; });
}

packing::Candidate Contest::candidate_of(const Entrant& entrant) const {
  const Reserve& reserve = entrant.waiting->reserve;
  const bool hurries = !reserve.extent.empty() &&
      packing::nears_barrier(packer_->rules().barrier, reserve.extent.front().finished / 1000.0);
  return {.job = entrant.job,
      .demand = &reserve.demand,
      .work_left = parts_->discipline.work_left(*entrant.waiting, at_),
      .remote = is_for_inputs_elsewhere(reserve),
      .hurries = hurries};
}

std::optional<Next> Contest::winner(const QueuedReservation* kept) {
  const Resources& free = parts_->slots.free();
  if (kept != nullptr) {
    std::erase_if(entrants_, [&](const Entrant& entrant) {
      return in_the_way(entrant.waiting->reserve.demand, kept->reserve.demand, free);
    });
  }
  keep_planned(entrants_);
  if (entrants_.empty()) return std::nullopt;
  count_held();
  std::vector<packing::Candidate> candidates;
  candidates.reserve(entrants_.size());
  for (const Entrant& entrant : entrants_) candidates.push_back(candidate_of(entrant));
  const auto best = packer_->choose(free, weights(), jobs_, candidates);
  return best ? std::optional(entrants_[*best].next) : std::nullopt;
}

std::optional<Next> pack_next(const WorkerParts& parts, Time now, std::size_t asked) {
  const ServiceMoment at = parts.moment(now);
  const std::vector<QueuedReservation>& waiting = parts.queue.waiting();
  Contest contest(parts, at, waiting.size() + parts.requests.size() - asked);
  const QueuedReservation* first = nullptr;
  Fit first_fit = Fit::yes;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Fit fit = parts.fit(waiting[i].reserve);
    contest.add(waiting[i], {.index = i}, fit == Fit::yes);
    if (fit == Fit::barred) continue;
    if (first != nullptr && !serves_before(parts.discipline, waiting[i], *first, at)) continue;
    first = &waiting[i];
    first_fit = fit;
  }
  for (std::size_t i = asked; i < parts.requests.size(); ++i) {
    const QueuedReservation& asking = parts.requests[i].reservation;
    if (!parts.requests.wants_more(asking.reserve)) continue;
    const bool fits = parts.fit(asking.reserve) == Fit::yes;
    contest.add(asking, {.asking = true, .index = i}, fits);
  }
  const bool keeps = first_fit == Fit::no && parts.discipline.keeps_room_for(*first, at);
  return contest.winner(keeps ? first : nullptr);
}

}  // namespace dunlin::sched
