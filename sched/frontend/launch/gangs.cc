// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/gangs.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>

#include "sched/frontend/binder.h"
#include "sched/ledger/class_name.h"

// The hold is the question of a worker: it keeps slots for the answer, and gives them up after a
// few tries (worker.ask_tries), so a global master that dies holds nothing for long. The commit is
// the answer, with a binding for each task, as for any task that is bound late.
//
// A gang that gathers holds for longer than those tries. So a question of a worker is answered at
// once, by the word to keep the slots (Tasks.gathers), after which it comes each second: one that
// does not ask any more holds nothing, and is not counted on.
namespace dunlin::sched {
namespace {

/// A gang that gathers holds for so long at first, and at most.
constexpr Duration kGatherMin = std::chrono::seconds(10);
constexpr Duration kGatherMax = std::chrono::minutes(10);
/// So many of a class gather at a time: what more of them held would stand idle for longer.
constexpr std::size_t kTogetherMax = 3;
/// A worker that holds slots for it asks within so long, though three questions may be lost.
constexpr Duration kHeardWithin = std::chrono::seconds(4);

/// All of its tasks that are not bound or final may be handed out now.
bool is_whole(const JobState& job, std::uint16_t group) {
  return job.offered(group) > 0 && job.offered(group) == job.groups()[group].waiting &&
      job.groups()[group].resting == 0;
}

/// What a task takes, if it is satisfied by CPUs and memory of any node.
std::optional<Resources> size_of(const TaskGroup& spec) {
  const Resources plain{.cpu = spec.demand.cpu, .memory = spec.demand.memory, .custom = {}};
  if (!spec.constraints.empty() || spec.demand != plain) return std::nullopt;
  return plain;
}

/// The tasks that a worker which asks so holds room for.
std::uint32_t tasks_of(const GetTask& asked) {
  return std::min<std::uint32_t>(asked.room, Tasks::kTasksMax);
}

}  // namespace

void Gangs::seek(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    Prober& prober,
    const Lacks& lacks,
    const ShareOf& share) {
  drop_idle(turn, master, job);
  if (turn.now < job.held_until()) return;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    const TaskGroup& spec = job.spec_of(group);
    if (!spec.gang || !is_whole(job, group)) continue;
    const Key key{job.id().number, group};
    Gang& gang = gangs_[key];
    gang.job = job.id();
    gang.class_id = class_id_of(job.job().service_class);
    gang.size = size_of(spec);
    // A cell forgets what it hears nothing of.
    const bool is_late = gang.gathers && turn.now >= gang.parked + params_.lease / 3;
    if (is_late) ask(turn, master, job, key, gang, prober);
    if (!gang.parts.empty() || turn.now < gang.rests_until) continue;
    gang.tasks = job.offered(group);
    gang.parts = master.match_all(turn, spec.demand, spec.constraints, gang.tasks);
    if (gang.parts.empty()) gang.parts = gather(turn.now, master, job, key, lacks, share);
    if (gang.parts.empty()) {
      // To find that out costs a match for each task.
      gang.rests_until = turn.now + params_.launch_timeout;
      continue;
    }
    gang.asked = gang.parts.begin()->first;
    gang.until = turn.now + (gang.gathers ? std::max(gang.patience, hold_time()) : hold_time());
    ask(turn, master, job, key, gang, prober);
  }
}

std::map<CellId, std::uint32_t> Gangs::gather(Time now,
    const federation::GlobalMaster& master,
    const JobState& job,
    const Key& key,
    const Lacks& lacks,
    const ShareOf& share) {
  Gang& gang = gangs_[key];
  gang.in_line = Time{};
  if (!lacks || now < gang.rested) return {};
  const Lack lack = lacks(key.second, gang.tasks);
  if (lack == Lack::none) return {};
  auto parts = master.spread(now, job.spec_of(key.second).demand, gang.tasks);
  if (parts.empty()) return {};
  if (!may_gather(now, key, gang, share ? share(key.second) : 0)) {
    gang.in_line = now + 2 * hold_time();
    return {};
  }
  gang.gathers = true;
  gang.patience = lack == Lack::all ? std::max(gang.patience, kGatherMin) : Duration{0};
  return parts;
}

bool Gangs::gathers(const JobState& job, std::uint16_t group) const {
  const auto found = gangs_.find({job.id().number, group});
  return found != gangs_.end() && found->second.gathers;
}

// Slots of one size do for each of them. Others might hold a CPU of each node, and wait for nodes
// where larger ones hold all but that; or there are fewer nodes that will do than the share counts.
bool Gangs::may_gather(Time now, const Key& key, const Gang& gang, std::uint32_t share) const {
  std::size_t beside = 0;
  std::uint64_t tasks = gang.tasks;
  for (const auto& [other_key, other] : gangs_) {
    if (other_key == key || other.class_id != gang.class_id) continue;
    if (!other.gathers) {
      if (other_key < key && now < other.in_line) return false;
      continue;
    }
    if (!gang.size || other.size != gang.size) return false;
    ++beside;
    tasks += other.tasks;
  }
  return beside == 0 || (beside < kTogetherMax && tasks <= share);
}

void Gangs::call_next(ClassId class_id) {
  for (auto& [key, gang] : gangs_) {
    if (gang.class_id == class_id && gang.in_line != Time{}) gang.rests_until = Time{};
  }
}

bool Gangs::drop_silent(Time now, Gang& gang) {
  const std::uint32_t before = gang.held;
  std::erase_if(gang.holders, [&](const Holder& each) {
    if (now - each.heard <= kHeardWithin) return false;
    gang.held -= std::min<std::uint32_t>(gang.held, tasks_of(each.asked));
    return true;
  });
  return gang.held < before;
}

std::uint32_t Gangs::due(const Gang& gang) {
  std::uint32_t sum = 0;
  for (const auto& [cell, tasks] : gang.parts) {
    if (cell <= gang.asked) sum += tasks;
  }
  return sum;
}

/// Asks for as much as is missing of the cells' parts.
void Gangs::ask(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    const Key& key,
    Gang& gang,
    Prober& prober) {
  gang.parked = turn.now;
  if (due(gang) <= gang.held) return;
  Reserve reserve = prober.reservation(job, key.second, turn.now);
  reserve.probe = prober.next_number(job);
  reserve.tasks_max =
      static_cast<std::uint16_t>(std::min<std::uint32_t>(Tasks::kTasksMax, due(gang) - gang.held));
  if (gang.gathers) reserve.work = Duration{0};  // What has least to do is offered room first.
  gang.told = gang.held + reserve.tasks_max;
  master.park(turn, gang.asked, reserve);
}

void Gangs::withdraw(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const Key& key,
    const Gang& gang) const {
  Reserve none;
  none.job = gang.job;
  none.group = key.second;
  master.park(turn, gang.asked, none);
}

std::vector<Gangs::Holder> Gangs::hold(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    const Endpoint& from,
    const GetTask& asked,
    Prober& prober) {
  const Key key{job.id().number, asked.group};
  const auto found = gangs_.find(key);
  const bool expected = found != gangs_.end() && !found->second.parts.empty() &&
      found->second.tasks == job.offered(asked.group) && is_whole(job, asked.group);
  if (!expected) {
    turn.out.send(from, nothing_for(asked));
    return {};
  }
  Gang& gang = found->second;
  const auto known = std::ranges::find_if(gang.holders, [&](const Holder& each) {
    return each.worker.id == from.id && each.asked.request == asked.request &&
        each.asked.incarnation == asked.incarnation;
  });
  const bool is_new = known == gang.holders.end();
  if (!is_new) known->heard = turn.now;
  const bool fewer = gang.gathers && drop_silent(turn.now, gang);
  if (is_new) {
    gang.holders.push_back({from, asked, turn.now});
    gang.holders.back().asked.slots_max = 0;  // A plan cannot give it a part of its tasks.
    gang.held += tasks_of(asked);
  }
  if (gang.held >= gang.tasks) {
    std::vector<Holder> holders = std::move(gang.holders);
    withdraw(turn, master, key, gang);
    const ClassId class_id = gang.class_id;
    gangs_.erase(found);
    call_next(class_id);
    return holders;
  }
  if (gang.gathers) turn.out.send(from, keep_slots(job, asked, prober, turn.now));
  if (gang.held < due(gang)) {
    // More than fit one question were wanted of it, or some are held no more.
    const bool again = fewer || (is_new && gang.held >= gang.told);
    if (again) ask(turn, master, job, key, gang, prober);
    return {};
  }
  withdraw(turn, master, key, gang);
  while (gang.held >= due(gang)) gang.asked = std::next(gang.parts.find(gang.asked))->first;
  ask(turn, master, job, key, gang, prober);
  return {};
}

void Gangs::let_go(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const Key& key,
    Gang& gang) {
  if (gang.parts.empty()) return;
  withdraw(turn, master, key, gang);
  for (const Holder& holder : gang.holders) {
    turn.out.send(holder.worker, nothing_for(holder.asked));
  }
  const Duration rest = hold_time();
  const bool gathered = gang.gathers;
  gang = {.job = gang.job,
      .parts = {},
      .rests_until = turn.now + turn.rng.between(rest / 4, rest),
      .class_id = gang.class_id,
      .size = gang.size,
      .patience = gang.patience,
      .rested = gang.rested};
  if (gathered) call_next(gang.class_id);
}

// Others have the slots for up to as long as it held them.
void Gangs::give_up(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const Key& key,
    Gang& gang) {
  const Duration held = gang.gathers ? gang.patience : Duration{0};
  let_go(turn, master, key, gang);
  if (held == Duration{0}) return;
  gang.patience = std::min(2 * held, kGatherMax);
  gang.rested = turn.now + turn.rng.between(held / 2, held);
}

void Gangs::drop_idle(
    const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job) {
  for (auto gang = gangs_.lower_bound({job.id().number, 0});
      gang != gangs_.end() && gang->first.first == job.id().number; ++gang) {
    const std::uint16_t group = gang->first.second;
    if (gang->second.tasks == job.offered(group) && is_whole(job, group)) continue;
    let_go(turn, master, gang->first, gang->second);
  }
}

void Gangs::forget(
    const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job) {
  const std::uint32_t number = job.id().number;
  for (auto gang = gangs_.lower_bound({number, 0});
      gang != gangs_.end() && gang->first.first == number;) {
    let_go(turn, master, gang->first, gang->second);
    gang = gangs_.erase(gang);
  }
}

void Gangs::wake(const federation::MastersTurn& turn, federation::GlobalMaster& master) {
  for (auto& [key, gang] : gangs_) {
    if (!gang.parts.empty() && gang.until <= turn.now) give_up(turn, master, key, gang);
  }
}

Time Gangs::deadline() const {
  Time earliest = kNever;
  for (const auto& [key, gang] : gangs_) {
    if (!gang.parts.empty()) earliest = std::min(earliest, gang.until);
  }
  return earliest;
}

}  // namespace dunlin::sched
