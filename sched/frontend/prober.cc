// SPDX-License-Identifier: MIT
#include "sched/frontend/prober.h"

#include <algorithm>
#include <string_view>

#include "sched/constraints.h"
#include "sched/frontend/inputs/input_probes.h"
#include "sched/frontend/outlook.h"
#include "sched/ledger/class_name.h"

// A reservation carries no task, only the right to ask for one. So a frontend can send several for
// each task, and whichever worker is free first gets it. Walking reservations are cheap and short
// lived: one that is not heard of soon is replaced. Waiting ones are leases that their holders
// renew, and are told when they are of no use or when much less of the job is left.
namespace dunlin::sched {
namespace {

/// Tasks one worker may ask for at once: no more fit an answer.
constexpr std::uint32_t kAskedMax = Tasks::kTasksMax;
/// More jobs than end while a worker remembers what is of no use: see ExhaustedGroups.
constexpr std::size_t kClosedMax = 64;

/// Tells it to the nodes where reservations of the group wait, to each with what it has of inputs.
void say(Turn& turn, const JobState& job, Remaining told, std::span<const Endpoint> holders) {
  const Duration length = told.task_time;
  for (const Endpoint& holder : holders) {
    told.inputs = terms_at(job, told.group, holder.id);
    told.task_time = length_at(job, told.group, holder.id, length);
    turn.out.send(holder, told);
  }
}

/// A number that names a user to workers, 0 for nobody. FNV-1a: all frontends must say the same.
std::uint64_t number_of_user(std::string_view name) {
  if (name.empty()) return 0;
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char c : name) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return number;
}

}  // namespace

Prober::Prober(const FrontendParams& params, const Endpoint& self)
    : params_(params),
      self_(self),
      placement_(make_placement(params)),
      node_cache_(params.node_cache),
      task_times_(params.unknown_duration) {}

Prober::JobProbes& Prober::of(const JobState& job) {
  JobProbes& probes = jobs_[job.id().number];
  if (probes.groups.empty()) {
    for (const TaskGroup& spec : job.job().groups) probes.groups.emplace_back(spec);
    probes.last = first_;
    // Numbers up to its last one may be known to be of no use.
    const auto before = std::ranges::find(closed_, job.id().number, &Closed::job);
    if (before != closed_.end()) probes.last = before->last;
  }
  return probes;
}

const Prober::JobProbes* Prober::find(const JobState& job) const {
  const auto it = jobs_.find(job.id().number);
  return it == jobs_.end() ? nullptr : &it->second;
}

std::uint32_t Prober::last(const JobState& job) const {
  const JobProbes* probes = find(job);
  return probes == nullptr ? 0 : probes->last;
}

const std::vector<Probe>& Prober::out(const JobState& job, std::uint16_t group) const {
  static const std::vector<Probe> none;
  const JobProbes* probes = find(job);
  return probes == nullptr ? none : probes->groups[group].out();
}

// Nodes that are kept for short tasks turn the reservations of a long one away. A group that finds
// no other nodes (GroupProbes::shunned) goes there without a length.
Duration Prober::told_time(const JobState& job, std::uint16_t group, Time now) const {
  const JobProbes* probes = find(job);
  if (probes != nullptr && probes->groups[group].shunned()) return Duration{0};
  return task_time(job, group, now, task_times_.value());
}

void Prober::probe(Turn& turn, const Surroundings& around, const JobState& job) {
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (!job.spec_of(group).gang) probe_group(turn, around, job, group);
  }
}

void Prober::probe_group(
    Turn& turn, const Surroundings& around, const JobState& job, std::uint16_t group) {
  GroupProbes& probes = of(job).groups[group];
  for (const std::uint32_t lost : probes.expire(turn.now)) {
    turn.events.on(ProbeLost{job.id(), lost});
  }
  const std::uint32_t waiting = job.offered(group);
  if (waiting == 0) return;
  tell_remaining(turn, job, group);  // The age of a pilot, or its end, may be news.
  if (turn.now < job.held_until() || probes.rests(turn.now)) return;
  probes.will_tell(waiting, told_time(job, group, turn.now));
  const TaskGroup& spec = job.spec_of(group);
  const DemandClass demand_class =
      classify(spec.demand, !spec.constraints.empty(), typical_node(around.known()));
  std::vector<PeerId> avoided = avoided_by_all(job, group, turn.now);
  if (!others_fit(around, job, group, avoided)) avoided.clear();
  Need need = probes.need(spec, demand_class, waiting);
  need.avoided = avoided;
  const auto batch =
      placement_->choose(need, {.around = around, .others = node_cache_.nodes()}, turn.rng);
  if (!batch) return;
  probes.chosen(demand_class, turn.now + batch->rest);
  std::vector<Hop> hops = batch->hops;
  probe_inputs_first(hops, job, group, probes.out(), avoided, around, turn.rng);
  for (const Hop& hop : hops) send(turn, job, group, batch->walk, hop);
}

// What is under way to it may still come. One that waited there, it has no more: it may have
// started anew since, and without this its slots would wait for the lease of that reservation.
void Prober::invite(Turn& turn, const JobState& job, const Endpoint& worker) {
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (job.offered(group) == 0 || job.spec_of(group).gang) continue;
    std::vector<std::uint32_t> lost;
    bool comes = false;
    for (const Probe& probe : out(job, group)) {
      if (probe.holder.id != worker.id) continue;
      if (probe.queued) lost.push_back(probe.id);
      comes = comes || !probe.queued;
    }
    for (const std::uint32_t probe : lost) {
      of(job).groups[group].erase(probe);
      turn.events.on(ProbeLost{job.id(), probe});
    }
    if (!comes) send(turn, job, group, Walk{}, {.to = worker, .greedy = false});
  }
}

bool Prober::others_fit(const Surroundings& around,
    const JobState& job,
    std::uint16_t group,
    std::span<const PeerId> avoided) const {
  if (avoided.empty()) return true;
  const TaskGroup& spec = job.spec_of(group);
  const Signature signature = demanded_signature(spec.constraints, spec.demand);
  const Wanted wanted{.demand = spec.demand, .signature = signature, .visited = {}};
  const auto fits = [&](const overlay::Neighbour& node) {
    return could_fit(wanted, node.peer) && std::ranges::count(avoided, node.peer.id) == 0;
  };
  return std::ranges::any_of(around.known(), fits) ||
      std::ranges::any_of(node_cache_.nodes(), fits);
}

Reserve Prober::reservation(const JobState& job, std::uint16_t group, Time now) const {
  const TaskGroup& spec = job.spec_of(group);
  return {.job = job.id(),
      .group = group,
      .frontend = self_.address,
      .demand = spec.demand,
      .constraints = spec.constraints,
      .priority = spec.priority,
      .waited = whole_milliseconds(now - job.accepted()),
      .tasks_max = static_cast<std::uint16_t>(std::min(job.offered(group), kAskedMax)),
      .task_time = told_time(job, group, now),
      .work = work(job, now),
      .class_id = class_id_of(job.job().service_class),
      .deadline = job.job().deadline,
      .log = log_,
      .epoch = epoch_,
      .home = self_.id == job.id().home ? PeerId{} : self_.id,
      .urgent = is_urgent(job, group, told_time(job, group, now), now),
      .inputs = terms_at(job, group, PeerId{}),
      .guessed = job.groups()[group].guessed,
      .user = number_of_user(job.job().owner),
      .gang = spec.gang};
}

void Prober::send(
    Turn& turn, const JobState& job, std::uint16_t group, const Walk& walk, const Hop& hop) {
  JobProbes& probes = of(job);
  const std::uint32_t id = ++probes.last;
  probes.groups[group].sent(
      {.id = id, .holder = hop.to, .sent = turn.now, .expires = turn.now + params_.probe_timeout});
  Reserve reserve = reservation(job, group, turn.now);
  if (met_packing_) reserve.extent = {extent_of(job, group, turn.now, task_times_.value())};
  reserve.probe = id;
  reserve.walk = walk;
  reserve.walk.greedy_hops = hop.greedy ? 1 : 0;
  reserve.walk.last_greedy = hop.greedy;
  if (job.groups()[group].inputs.left(hop.to.id) > 0) {
    reserve.inputs = terms_at(job, group, hop.to.id);
    reserve.task_time = length_at(job, group, hop.to.id, reserve.task_time);
    const std::uint32_t stuck = job.groups()[group].inputs.stuck(hop.to.id);
    if (stuck > 0) reserve.tasks_max = static_cast<std::uint16_t>(std::min(stuck, kAskedMax));
    reserve.settled = true;
  }
  turn.events.on(ProbeSent{job.id(), id, hop.to.id, hop.greedy});
  turn.out.send(hop.to, reserve);
}

Remaining Prober::remaining(
    const JobState& job, std::uint16_t group, PeerId holder, Time now) const {
  return {.job = job.id(),
      .work = work(job, now),
      .group = group,
      .task_time = length_at(job, group, holder, told_time(job, group, now)),
      .has_terms = true,
      .priority = job.spec_of(group).priority,
      .deadline = job.job().deadline,
      .urgent = is_urgent(job, group, told_time(job, group, now), now),
      .inputs = terms_at(job, group, holder)};
}

void Prober::learn(const GroupProbes& group, const Walk& report) {
  if (report.greedy_hops > 0) placement_->learn(group.demand_class(), report);
}

bool Prober::on_queued(Turn& turn,
    const Surroundings& around,
    const Endpoint& from,
    const JobState& job,
    const Queued& queued) {
  JobProbes& probes = of(job);
  GroupProbes& group = probes.groups[queued.group];
  learn(group, queued.walk);
  probes.last = std::max(probes.last, queued.probe);
  group.queued({.id = queued.probe,
      .queued = true,
      .packs = queued.packs,
      .holder = from,
      .ahead = queued.ahead,
      .sent = turn.now,
      .expires = turn.now + params_.queue_lease});
  turn.out.send(from, remaining(job, queued.group, from.id, turn.now));
  if (queued.packs) {
    met_packing_ = true;
    turn.out.send(from,
        TellExtent{
            job.id(), queued.group, extent_of(job, queued.group, turn.now, task_times_.value())});
  }
  // The cluster is full: a job of few tasks must be known at more nodes to be among the next.
  if (!group.crowd(turn.now)) return false;
  probe_group(turn, around, job, queued.group);
  return true;
}

void Prober::on_bounced(Time now, const JobState& job, const Bounced& bounced) {
  GroupProbes& group = of(job).groups[bounced.group];
  if (group.bounced(bounced.probe, bounced.reason, now, params_.reprobe_period)) {
    learn(group, bounced.walk);
  }
}

void Prober::on_served(Turn& turn,
    const Endpoint& from,
    const JobState& job,
    const GetTask& asked,
    std::size_t tasks) {
  GroupProbes& group = of(job).groups[asked.group];
  learn(group, asked.walk);
  const std::uint32_t waiting = job.offered(asked.group);
  if (tasks == 0 || waiting == 0) {
    group.erase(asked.probe);  // Its holder knows by the answer.
  } else {
    // It lives on while there is more to ask for.
    group.served({.id = asked.probe,
        .queued = true,
        .holder = from,
        .expires = turn.now + params_.queue_lease});
  }
  if (waiting == 0) {
    withdraw(turn, job, asked.group);
  } else {
    tell_remaining(turn, job, asked.group);
    if (met_packing_) {
      const Extent extent = extent_of(job, asked.group, turn.now, task_times_.value());
      for (const Endpoint& to : group.tell(extent, turn.now)) {
        turn.out.send(to, TellExtent{job.id(), asked.group, extent});
      }
    }
  }
}

void Prober::tell_terms(Turn& turn, const JobState& job) {
  if (find(job) == nullptr) return;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    say(turn, job, remaining(job, group, {}, turn.now), of(job).groups[group].take_holders());
  }
}

// Its reservations wait among those of other jobs, ranked by what was left when they were sent. The
// last tasks of a long job would wait for all of many short ones: and a job ends with its last
// task.
void Prober::tell_remaining(Turn& turn, const JobState& job, std::uint16_t group) {
  GroupProbes& probes = of(job).groups[group];
  if (!probes.tell(job.offered(group), told_time(job, group, turn.now))) return;
  say(turn, job, remaining(job, group, {}, turn.now), probes.holders());
}

void Prober::withdraw(Turn& turn, const JobState& job, std::uint16_t group) {
  JobProbes& probes = of(job);
  for (const Endpoint& holder : probes.groups[group].holders()) {
    turn.out.send(holder, Cancel{job.id(), group, probes.last});
  }
  probes.groups[group].clear();
}

void Prober::withdraw_idle(Turn& turn, const JobState& job) {
  if (find(job) == nullptr) return;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (job.offered(group) == 0) withdraw(turn, job, group);
  }
}

void Prober::close(Turn& turn, const JobState& job) {
  withdraw_idle(turn, job);
  const std::uint32_t number = job.id().number;
  std::erase_if(closed_, [&](const Closed& closed) { return closed.job == number; });
  closed_.push_back({number, last(job)});
  if (closed_.size() > kClosedMax) closed_.pop_front();
  jobs_.erase(number);
}

void Prober::on_worker_gone(PeerId node) {
  for (auto& [number, probes] : jobs_) {
    for (GroupProbes& group : probes.groups) group.erase_at(node);
  }
}

}  // namespace dunlin::sched
