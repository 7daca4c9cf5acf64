// SPDX-License-Identifier: MIT
#include "sched/frontend/group_probes.h"

#include <algorithm>
#include <set>

#include "sched/constraints.h"

// Reservations tell by their fate what the cluster is like. One that must queue says that it is
// full, and the group becomes known at more nodes. One that meets only others of its own group says
// that enough are out, and the group pauses. Many in a row that are turned away say that nodes are
// kept for tasks known to be short, and then the length is no longer told.
namespace dunlin::sched {
namespace {

constexpr Duration kPauseMax = std::chrono::seconds(8);
/// Reservations turned away in a row that make a group shunned.
constexpr std::uint16_t kTurnedAwayMax = 64;
/// Holders of reservations learn what is left whenever that has shrunk to this share.
constexpr std::uint32_t kTellAtShare = 4;

/// The holders of the probes that pass `test`, each once.
template <typename Test>
std::vector<Endpoint> holders_of(const std::vector<Probe>& out, Test&& test) {
  std::vector<Endpoint> holders;
  std::set<PeerId> seen;
  for (const Probe& probe : out) {
    if (test(probe) && seen.insert(probe.holder.id).second) holders.push_back(probe.holder);
  }
  return holders;
}

}  // namespace

GroupProbes::GroupProbes(const TaskGroup& spec)
    : signature_(demanded_signature(spec.constraints, spec.demand)),
      learns_time_(spec.duration == Duration{0}) {}

bool GroupProbes::shunned() const {
  return turned_away_ >= kTurnedAwayMax;
}

Need GroupProbes::need(
    const TaskGroup& spec, DemandClass demand_class, std::uint32_t waiting) const {
  return {.demand = spec.demand,
      .signature = signature_,
      .demand_class = demand_class,
      .waiting = waiting,
      .out = out_,
      .crowded = crowded_,
      .turned_away = turned_away_ > 0,
      .pause = pause_};
}

std::vector<Endpoint> GroupProbes::holders() const {
  return holders_of(out_, [](const Probe& probe) { return probe.queued; });
}

std::vector<std::uint32_t> GroupProbes::expire(Time now) {
  std::vector<std::uint32_t> lost;
  for (const Probe& probe : out_) {
    if (probe.expires <= now) lost.push_back(probe.id);
  }
  if (!lost.empty()) std::erase_if(out_, [&](const Probe& probe) { return probe.expires <= now; });
  return lost;
}

void GroupProbes::chosen(DemandClass demand_class, Time again) {
  demand_class_ = demand_class;
  probe_again_ = again;
}

void GroupProbes::queued(const Probe& queued) {
  auto known = std::ranges::find(out_, queued.id, &Probe::id);
  if (known == out_.end()) {
    out_.push_back(queued);
  } else {
    const Time sent = known->sent;
    *known = queued;
    known->sent = sent;
  }
  // A group that is shunned stays so: its length is a secret by now.
  if (!shunned()) turned_away_ = 0;
}

bool GroupProbes::crowd(Time now) {
  if (crowded_) return false;
  crowded_ = true;
  probe_again_ = now;
  return true;
}

bool GroupProbes::bounced(
    std::uint32_t probe, BounceReason reason, Time now, Duration reprobe_period) {
  if (std::ranges::find(out_, probe, &Probe::id) == out_.end()) return false;
  erase(probe);
  const bool unwelcome = reason == BounceReason::express || reason == BounceReason::never_fits ||
      reason == BounceReason::constraint;
  if (unwelcome && !shunned()) ++turned_away_;
  if (reason == BounceReason::duplicate) {
    // Every node it met holds a reservation of the group: more of them are of no use for a while.
    pause_ = std::clamp(2 * pause_, reprobe_period, std::max(reprobe_period, kPauseMax));
    probe_again_ = std::max(probe_again_, now + pause_);
  }
  return true;
}

void GroupProbes::served(const Probe& served) {
  pause_ = Duration{0};
  const auto known = std::ranges::find(out_, served.id, &Probe::id);
  if (known == out_.end()) return;
  const Time sent = known->sent;
  const bool packs = known->packs;
  *known = served;
  known->sent = sent;
  known->packs = packs;
}

void GroupProbes::erase(std::uint32_t probe) {
  std::erase_if(out_, [&](const Probe& each) { return each.id == probe; });
}

void GroupProbes::erase_at(PeerId holder) {
  std::erase_if(out_, [&](const Probe& each) { return each.holder.id == holder; });
}

void GroupProbes::clear() {
  out_.clear();
  pause_ = Duration{0};
}

std::vector<Endpoint> GroupProbes::take_holders() {
  std::vector<Endpoint> all = holders();
  clear();
  return all;
}

void GroupProbes::will_tell(std::uint32_t waiting, Duration task_time) {
  told_ = std::max(told_, waiting);
  if (out_.empty()) told_time_ = task_time;
}

bool GroupProbes::tell(std::uint32_t waiting, Duration task_time) {
  if (waiting == 0) return false;
  const bool less = kTellAtShare * waiting <= told_;
  const bool other_length = learns_time_ && task_time != told_time_ &&
      (task_time >= 2 * told_time_ || 2 * task_time <= told_time_);
  if (!less && !other_length) return false;
  told_ = waiting;
  told_time_ = task_time;
  return true;
}

std::vector<Endpoint> GroupProbes::tell(const Extent& extent, Time now) {
  std::vector<Endpoint> packing =
      holders_of(out_, [](const Probe& probe) { return probe.queued && probe.packs; });
  if (packing.empty() || !extent_.tell(extent, now)) return {};
  return packing;
}

std::vector<PeerId> avoided_by_all(const JobState& job, std::uint16_t group_index, Time now) {
  const JobState::Group& group = job.groups()[group_index];
  std::vector<PeerId> all;
  std::uint32_t waiting = 0;
  for (const std::uint32_t index :
      job.setbacks().awake(group.first, group.first + job.spec_of(group_index).count)) {
    if (job.task(index).state != TaskState::waiting) continue;
    const auto nodes = job.setbacks().avoided(index, now);
    if (waiting++ == 0) all.assign(nodes.begin(), nodes.end());
    std::erase_if(all, [&](PeerId node) { return std::ranges::count(nodes, node) == 0; });
  }
  // A task without setbacks may go anywhere.
  return waiting == group.waiting ? all : std::vector<PeerId>{};
}

}  // namespace dunlin::sched
