// SPDX-License-Identifier: MIT
// Reservations: how many are out, where they are sent, and what they come back with.
#include <algorithm>
#include <cmath>
#include <set>

#include "sched/constraints.h"
#include "sched/frontend/frontend.h"
#include "sched/ledger/class_name.h"

namespace dunlin::sched {
namespace {

/// Below this many nodes known, they are all there are: two reservations on one node are useless.
constexpr std::size_t kSmallCluster = 16;
/// Tasks one worker may ask for at once: the schema's bound.
constexpr std::uint32_t kMostAtOnce = 64;
constexpr Duration kPauseMax = std::chrono::seconds(8);
/// After so many reservations turned away in a row, all that could hold the tasks may be nodes that
/// are kept for shorter ones: those then are not told how long these take.
constexpr std::uint16_t kTurnedAwayMax = 64;

/// Reservations sent in one look to nodes that have room, beside those that wait already.
constexpr std::size_t kElsewhereMax = 16;

/// Where reservations wait learns what is left of a job whenever that has shrunk so much.
constexpr std::uint32_t kTellAtShare = 4;

/// Calls `visit` once for each node where reservations of the group wait.
void for_each_holder(const JobState::Group& group, auto&& visit) {
  std::set<PeerId> told;
  for (const Probe& probe : group.probes) {
    if (probe.queued && told.insert(probe.holder.id).second) visit(probe.holder);
  }
}

Resources typical_node(const Surroundings& around) {
  std::uint64_t cpu = 0;
  std::uint64_t memory = 0;
  for (const overlay::Neighbour& node : around.known()) {
    cpu += node.peer.cpu_total;
    memory += node.peer.memory_total;
  }
  const std::uint64_t count = std::max<std::uint64_t>(around.known().size(), 1);
  return {.cpu = static_cast<std::uint32_t>(cpu / count),
      .memory = static_cast<std::uint32_t>(memory / count),
      .custom = {}};
}

}  // namespace

void Frontend::probe(Turn& turn, const Surroundings& around, JobState& job) {
  for (std::uint16_t group = 0; group < job.groups_.size(); ++group) {
    probe_group(turn, around, job, group);
  }
}

void Frontend::probe_group(
    Turn& turn, const Surroundings& around, JobState& job, std::uint16_t group) {
  JobState::Group& state = job.groups_[group];
  const TaskGroup& spec = job.spec_of(group);
  for (const Probe& probe : state.probes) {
    if (probe.expires <= turn.now) turn.events.on(ProbeLost{job.id(), probe.id});
  }
  std::erase_if(state.probes, [&](const Probe& probe) { return probe.expires <= turn.now; });
  if (state.waiting == 0 || turn.now < job.held_until_) return;
  if (turn.now < state.probe_again && !state.probes.empty()) return;

  state.told = std::max(state.told, state.waiting);

  const double batch = std::ceil(ratio(around) * static_cast<double>(state.waiting));
  const double least = std::max<double>(batch, state.crowded ? params_.probes_crowded : 1);
  std::size_t wanted = static_cast<std::size_t>(std::min<double>(least, params_.probes_max));
  if (around.known().size() < kSmallCluster) wanted = std::min(wanted, around.known().size());
  const bool enough = state.probes.size() >= wanted;
  // Those that walk may find what there is.
  const bool all_wait = std::ranges::all_of(state.probes, &Probe::queued);
  if (enough && (!all_wait || params_.placement == Placement::random)) return;

  const bool constrained = !spec.constraints.empty();
  state.demand_class = GreedySuccess::classify(spec.demand, constrained, typical_node(around));
  const double share = success_.share(state.demand_class, params_.greedy_floor, params_.greedy_cap);
  const Walk walk{.placement = params_.placement,
      .greedy_share = static_cast<std::uint8_t>(std::lround(share * 255.0)),
      .hops_left = params_.hops_max};

  std::vector<std::uint64_t> held;
  for (const Probe& probe : state.probes) {
    if (probe.queued) held.push_back(probe.holder.id.value);
  }
  const Signature& signature = job.signatures_[group];
  if (enough) {
    // All of them wait, perhaps for hours, while others have nothing to do any more.
    const std::size_t all_most = std::size_t{2} * params_.probes_max;
    const std::size_t most = std::min<std::size_t>(state.waiting, kElsewhereMax);
    for (std::size_t i = 0; i < most && state.probes.size() < all_most; ++i) {
      const auto hop =
          best_hop(around, {.demand = spec.demand, .signature = signature, .visited = held});
      if (!hop) break;
      held.push_back(hop->to.id.value);
      send_probe(turn, job, group, walk, *hop);
    }
  } else {
    BatchSample sample(around, node_cache_.nodes(),
        {.demand = spec.demand, .signature = signature, .visited = {}}, std::move(held));
    while (state.probes.size() < wanted) {
      const auto hop = sample.draw(walk, turn.rng);
      if (!hop) break;  // Nobody is known at all.
      send_probe(turn, job, group, walk, *hop);
    }
  }
  state.probe_again = turn.now + std::max(params_.reprobe_period, state.pause);
}

void Frontend::send_probe(
    Turn& turn, JobState& job, std::uint16_t group, const Walk& walk, const Hop& hop) {
  JobState::Group& state = job.groups_[group];
  const TaskGroup& spec = job.spec_of(group);
  const std::uint32_t id = ++job.probe_last_;
  state.probes.push_back(
      {.id = id, .holder = hop.to, .sent = turn.now, .expires = turn.now + params_.probe_timeout});
  Reserve reserve{.job = job.id(),
      .group = group,
      .probe = id,
      .frontend = self_.address,
      .demand = spec.demand,
      .constraints = spec.constraints,
      .priority = spec.priority,
      .waited = whole_milliseconds(turn.now - job.accepted_),
      .most = static_cast<std::uint16_t>(std::min(state.waiting, kMostAtOnce)),
      .walk = walk,
      .task_time = told_time(job, group),
      .work = job.work(params_.unknown_duration),
      .class_id = class_id_of(job.job().service_class)};
  reserve.walk.greedy_hops = hop.greedy ? 1 : 0;
  reserve.walk.last_greedy = hop.greedy;
  turn.events.on(ProbeSent{job.id(), id, hop.to.id, hop.greedy});
  turn.out.send(hop.to, reserve);
}

// Where one CPU in f is free, it takes f visits to find one. To walk that far takes time; to send
// more reservations takes none.
double Frontend::ratio(const Surroundings& around) const {
  double free = 0;
  double total = 0;
  for (const overlay::Neighbour& node : around.random()) {
    free += std::min(node.peer.cpu_free, node.peer.cpu_total);
    total += node.peer.cpu_total;
  }
  const double most = std::max(params_.probe_ratio, params_.probe_ratio_full);
  return free == 0 ? most : std::clamp(total / free, params_.probe_ratio, most);
}

Duration Frontend::told_time(const JobState& job, std::uint16_t group) const {
  if (job.groups_[group].turned_away >= kTurnedAwayMax) return Duration{0};
  return job.task_time(group, params_.unknown_duration);
}

void Frontend::learn_walk(const JobState& job, std::uint16_t group, const Walk& walk) {
  if (walk.greedy_hops > 0) success_.learn(job.groups_[group].demand_class, walk);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Queued& queued) {
  JobState* job = find(queued.job);
  if (job == nullptr || queued.group >= job->groups_.size() ||
      job->groups_[queued.group].waiting == 0) {
    turn.out.send(from, Cancel{queued.job, queued.group, queued.probe});
    return;
  }
  learn_walk(*job, queued.group, queued.walk);
  Probe* probe = job->find_probe(queued.group, queued.probe);
  if (probe == nullptr) {  // Thought lost, or sent by an earlier life of ours: welcome.
    auto& probes = job->groups_[queued.group].probes;
    probes.push_back({.id = queued.probe, .sent = turn.now});
    probe = &probes.back();
    job->probe_last_ = std::max(job->probe_last_, queued.probe);
  }
  probe->queued = true;
  probe->holder = from;
  probe->ahead = queued.ahead;
  probe->expires = turn.now + params_.queue_lease;
  turn.out.send(from, Remaining{queued.job, job->work(params_.unknown_duration)});
  if (job->groups_[queued.group].turned_away < kTurnedAwayMax) {
    job->groups_[queued.group].turned_away = 0;
  }
  // The cluster is full: a job of few tasks must be known at more nodes to be among the next.
  JobState::Group& group = job->groups_[queued.group];
  if (group.crowded) return;
  group.crowded = true;
  group.probe_again = turn.now;
  probe_group(turn, around, *job, queued.group);
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings&, const Endpoint&, const Bounced& bounced) {
  JobState* job = find(bounced.job);
  if (job == nullptr || bounced.group >= job->groups_.size()) return;
  JobState::Group& group = job->groups_[bounced.group];
  if (job->find_probe(bounced.group, bounced.probe) == nullptr) return;
  learn_walk(*job, bounced.group, bounced.walk);
  job->erase_probe(bounced.group, bounced.probe);
  const bool unwelcome = bounced.reason == BounceReason::express ||
      bounced.reason == BounceReason::never_fits || bounced.reason == BounceReason::constraint;
  if (unwelcome && group.turned_away < kTurnedAwayMax) ++group.turned_away;
  if (bounced.reason == BounceReason::duplicate) {
    // Every node it met holds a reservation of the group: more of them are of no use for a while.
    group.pause = std::clamp(2 * group.pause, params_.reprobe_period, kPauseMax);
    group.probe_again = std::max(group.probe_again, turn.now + group.pause);
  }
}

// Its reservations wait among those of other jobs, ranked by what was left when they were sent. The
// last tasks of a long job would wait for all of many short ones: and a job ends with its last
// task.
void Frontend::tell_remaining(Turn& turn, JobState& job, std::uint16_t group) {
  JobState::Group& state = job.groups_[group];
  if (state.waiting == 0 || kTellAtShare * state.waiting > state.told) return;
  state.told = state.waiting;
  const Remaining remaining{job.id(), job.work(params_.unknown_duration)};
  for_each_holder(state, [&](const Endpoint& holder) { turn.out.send(holder, remaining); });
}

void Frontend::withdraw(Turn& turn, JobState& job, std::uint16_t group) {
  JobState::Group& state = job.groups_[group];
  for_each_holder(state, [&](const Endpoint& holder) {
    turn.out.send(holder, Cancel{job.id(), group, job.probe_last_});
  });
  state.probes.clear();
  state.pause = Duration{0};
}

}  // namespace dunlin::sched
