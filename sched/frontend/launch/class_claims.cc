// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/class_claims.h"

#include <algorithm>

#include "sched/ledger/class_name.h"

namespace dunlin::sched {

void ClassClaims::set_classes(const books::Classes& table) {
  shares_.clear();
  for (const books::Class& each : table.classes) shares_.emplace_back(each.class_id, each.share);
}

ClassId ClassClaims::class_of(const JobState& job) const {
  if (shares_.empty()) return 0;
  const ClassId class_id = class_id_of(job.job().service_class);
  const bool known =
      std::ranges::any_of(shares_, [class_id](const auto& each) { return each.first == class_id; });
  return known ? class_id : class_id_of("");
}

Tickets ClassClaims::part_of(const Resources& demand) const {
  const double by_memory = memory_ > 0 ? demand.memory * (cpus_ / memory_) : 0;
  return std::max(Tickets{demand.cpu}, static_cast<Tickets>(by_memory));
}

void ClassClaims::count(Time now, const JobTable& jobs, const federation::GlobalMaster& master) {
  if (preempts_ && !shares_.empty()) count_held(now, jobs, master);
}

Lack ClassClaims::lacks(Time now,
    const JobTable& jobs,
    const federation::GlobalMaster& master,
    const JobState& job,
    const Resources& demand,
    std::uint32_t tasks) {
  if (shares_.empty()) return Lack::none;
  count_held(now, jobs, master);
  const auto part = static_cast<std::uint64_t>(part_of(demand)) * tasks;
  if (cpus_ == 0 || !balance_.lacks(class_of(job), part)) return Lack::none;
  return balance_.affords(class_of(job), part) ? Lack::all : Lack::part;
}

std::uint32_t ClassClaims::share_of(const JobState& job, const Resources& demand) const {
  const ClassId class_id = class_of(job);
  double all = 0;
  double own = 0;
  for (const auto& [each, tickets] : shares_) {
    all += static_cast<double>(tickets);
    if (each == class_id) own = static_cast<double>(tickets);
  }
  const auto part = static_cast<double>(part_of(demand));
  if (all <= 0 || part <= 0) return 0;
  return static_cast<std::uint32_t>(std::min(own / all * cpus_ / part, 1e9));
}

void ClassClaims::count_held(
    Time now, const JobTable& jobs, const federation::GlobalMaster& master) {
  const auto cells = master.standings(now);
  cpus_ = memory_ = 0;
  for (const federation::CellStanding& cell : cells) {
    cpus_ += cell.capacity.cpu;
    memory_ += cell.capacity.memory;
  }
  balance_ = ClassBalance(shares_, static_cast<Tickets>(cpus_));
  for (const federation::CellStanding& cell : cells) {
    for (const ClassTotal& total : cell.uses) {
      balance_.hold(total.class_id, total.used - std::min(total.used, total.own));
    }
  }
  for (const JobState* const job : jobs.active()) {
    std::uint64_t held = 0;
    for (std::uint16_t group = 0; group < group_count(*job); ++group) {
      const auto part = static_cast<std::uint64_t>(part_of(job->spec_of(group).demand));
      held += part * job->groups()[group].bound;
    }
    if (held > 0) balance_.hold(class_of(*job), held);
  }
  for (const auto& [launch, each] : made_) {
    balance_.release(each.over, static_cast<std::uint64_t>(each.part));
  }
  std::erase_if(refused_, [now](const auto& each) { return each.second <= now; });
}

std::optional<ClassClaims::Claim> ClassClaims::claim(Time now,
    const JobState& job,
    const Resources& demand,
    const federation::GlobalMaster& master) {
  if (!preempts_ || shares_.empty() || cpus_ == 0) return std::nullopt;
  const ClassId by = class_of(job);
  const auto part = static_cast<std::uint64_t>(part_of(demand));
  if (!balance_.lacks(by, part)) return std::nullopt;
  const auto cells = master.standings(now);
  for (const ClassId over : balance_.above()) {
    if (over == by || !balance_.spares(over, part)) continue;
    const auto found = find_cell(now, {.cell = {}, .over = over}, by, cells);
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<ClassClaims::Claim> ClassClaims::find_cell(Time now,
    const Claim& claim,
    ClassId by,
    const std::vector<federation::CellStanding>& cells) const {
  std::optional<Claim> best;
  double above_max = 0;
  double all = 0;
  double share = 0;
  for (const auto& [class_id, tickets] : shares_) {
    all += static_cast<double>(tickets);
    if (class_id == claim.over) share = static_cast<double>(tickets);
  }
  for (const federation::CellStanding& cell : cells) {
    const auto refused = refused_.find({by, claim.over, cell.cell});
    if (!cell.open || (refused != refused_.end() && now < refused->second)) continue;
    double above = -share / all * cell.capacity.cpu;
    for (const ClassTotal& total : cell.uses) {
      if (total.class_id == claim.over) above += static_cast<double>(total.used);
    }
    for (const auto& [launch, each] : made_) {
      const bool here = launch.first == cell.cell && each.over == claim.over;
      if (here) above -= static_cast<double>(each.part);
    }
    if (above <= above_max) continue;
    above_max = above;
    best = Claim{.cell = cell.cell, .epoch = cell.epoch, .over = claim.over};
  }
  return best;
}

void ClassClaims::make(
    const Claim& claim, std::uint64_t number, const JobState& job, const Resources& demand) {
  const Tickets part = part_of(demand);
  const ClassId by = class_of(job);
  made_[{claim.cell, number}] = {.by = by, .over = claim.over, .part = part};
  balance_.release(claim.over, static_cast<std::uint64_t>(part));
  balance_.hold(by, static_cast<std::uint64_t>(part));
}

void ClassClaims::note(Time now, const federation::LaunchOutcome& outcome) {
  const auto made = made_.extract({outcome.cell, outcome.number});
  if (!made || outcome.fate == federation::LaunchOutcome::Fate::placed) return;
  refused_[{made.mapped().by, made.mapped().over, outcome.cell}] = now + rest_;
}

}  // namespace dunlin::sched
