// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/launcher.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "sched/frontend/binder.h"

namespace dunlin::sched {
namespace {

/// The first refusal is no reason to wait: the answer brought what has changed.
constexpr int kRefusedMax = 2;

/// The work in all launches that are not answered, but for a single one. A home with large commands
/// and many nodes would send all of it to each of them at once, and beyond its driver's bounds what
/// rests on records is lost, again and again. The answers make room.
constexpr std::size_t kBytesUnderWayMax = 16 << 20;

bool is_same_wish(const TaskGroup& a, const TaskGroup& b) {
  return a.demand == b.demand && a.constraints == b.constraints;
}

}  // namespace

Launcher::Launcher(const federation::FederationParams& params,
    const WorkerParams& worker,
    PeerId self,
    std::uint32_t incarnation)
    : params_(params),
      discipline_(make_discipline(worker)),
      master_(params_, self, incarnation),
      parker_(params_, worker),
      gangs_(params_),
      claims_(worker.preempt == PreemptMode::share, params_.launch_timeout),
      unheard_(worker.renew) {}

Launcher::~Launcher() = default;

bool Launcher::may_launch(Time now, const JobState& job) const {
  const auto setback = setbacks_.find(job.id().number);
  const bool rests = setback != setbacks_.end() && now < setback->second.rests_until;
  return now >= job.held_until() && !rests;
}

Launcher::Queues Launcher::queues_of(
    Time now, Prober& prober, std::span<JobState* const> jobs) const {
  Queues queues;
  for (JobState* const job : jobs) {
    if (!may_launch(now, *job)) continue;
    for (std::uint16_t group = 0; group < group_count(*job); ++group) {
      if (!is_launched(*job, group)) continue;
      Wanted& wanted = queues[claims_.class_of(*job)].emplace_back();
      wanted.job = job;
      wanted.group = group;
      if (jobs.size() == 1) continue;
      Reserve& reserve = wanted.rank.reserve;
      reserve.job = job->id();
      reserve.group = group;
      reserve.priority = job->spec_of(group).priority;
      reserve.task_time = prober.told_time(*job, group, now);
      reserve.work = prober.work(*job, now);
      reserve.deadline = job->job().deadline;
      wanted.rank.born = job->accepted();
      discipline_->weigh(wanted.rank);
    }
  }
  if (jobs.size() == 1) return queues;
  const ServiceMoment at(now, prober.task_times().value());
  for (auto& [class_id, queue] : queues) {
    std::ranges::stable_sort(queue,
        [&](const Wanted& a, const Wanted& b) { return discipline_->before(a.rank, b.rank, at); });
  }
  return queues;
}

// The queues take turns task by task, so no class waits for another one to have all it wants.
bool Launcher::launch(Turn& turn, const Owner& owner, std::span<JobState* const> jobs) {
  if (master_.view().size() == 0) return false;
  Queues queues = queues_of(turn.now, owner.prober, jobs);
  Step step;
  bool any = false;
  while (!queues.empty()) {
    auto next = queues.upper_bound(last_class_);
    if (next == queues.end()) next = queues.begin();
    last_class_ = next->first;
    std::deque<Wanted>& queue = next->second;
    while (!queue.empty() && !launch_one(turn, owner, queue.front(), step)) queue.pop_front();
    any = any || !queue.empty();
    if (queue.empty()) queues.erase(next);
  }
  for (auto& [to, batch] : step.batches) send(turn, owner.prober, to, batch);
  return any;
}

std::optional<Launcher::Target> Launcher::find(
    Turn& turn, const Owner& owner, const Wanted& wanted, Step& step) {
  const TaskGroup& spec = wanted.job->spec_of(wanted.group);
  const auto is_same = [&](const TaskGroup* other) { return is_same_wish(*other, spec); };
  if (std::ranges::none_of(step.misses, is_same)) {
    const auto place = master_.match(turn_of(turn), spec.demand, spec.constraints);
    if (place) return Target{*place, std::nullopt};
    step.misses.push_back(&spec);
  }
  if (!step.counted) claims_.count(turn.now, owner.jobs, master_);
  step.counted = true;
  const auto claim = claims_.claim(turn.now, *wanted.job, spec.demand, master_);
  if (!claim) return std::nullopt;
  return Target{{.cell = claim->cell, .epoch = claim->epoch, .node = {}}, claim};
}

bool Launcher::launch_one(Turn& turn, const Owner& owner, const Wanted& wanted, Step& step) {
  JobState& job = *wanted.job;
  if (job.offered(wanted.group) == 0) return false;
  const TaskGroup& spec = job.spec_of(wanted.group);
  const std::size_t under_way = master_.bytes_under_way() + step.bytes;
  if (under_way > 0 && under_way + spec.spec.size() > kBytesUnderWayMax) return false;
  const auto target = find(turn, owner, wanted, step);
  if (!target) return false;
  const auto task =
      job.launch(wanted.group, target->place.node, turn.now, [&](std::span<const PeerId> avoided) {
        return owner.prober.others_fit(owner.around, job, wanted.group, avoided);
      });
  if (!task) return false;  // Those that wait failed there: reservations find other nodes.
  To to{.job = job.id().number, .group = wanted.group, .cell = target->place.cell};
  const bool direct = params_.validate == federation::Validate::worker && !target->claim;
  if (target->claim) to.over = target->claim->over;
  if (direct) to.member = target->place.node;
  Batch& batch = step.batches[to];
  if (batch.job == nullptr) step.bytes += spec.spec.size();
  batch.job = &job;
  batch.tasks.push_back(*task);
  batch.targets.push_back(master_.take(target->place, spec.demand));
  if (target->claim) {
    claims_.make(*target->claim, batch.targets.back().number, job, spec.demand);
    turn.events.on(PreemptionAsked{job.id(), task->index, task->attempt, target->place.cell});
  } else {
    turn.events.on(TaskLaunched{job.id(), task->index, task->attempt, target->place.node});
  }
  const std::uint32_t first = job.groups()[wanted.group].first;
  if (spec.entries.size() > 0) batch.bytes += spec.entries[task->index - first].size();
  if (batch.tasks.size() < params_.batch && batch.bytes < kEntryBytesMax) return true;
  send(turn, owner.prober, to, batch);
  step.bytes -= spec.spec.size();  // It is under way.
  step.batches.erase(to);
  return true;
}

void Launcher::send(Turn& turn, const Prober& prober, const To& to, Batch& batch) {
  const JobState& job = *batch.job;
  LaunchTasks launch{.reserve = prober.reservation(job, to.group, turn.now),
      .tasks = tasks_for(job, to.group, batch.tasks, prober, turn.now),
      .targets = std::move(batch.targets),
      .preempts = to.over.has_value(),
      .over = to.over.value_or(0),
      .staged = !job.spec_of(to.group).after.empty()};
  // No node learns by a launch how much is left of the job.
  launch.tasks.served_to = 0;
  master_.launch(turn_of(turn), to.cell, std::move(launch), to.member);
}

void Launcher::seek_gangs(Turn& turn, const Owner& owner, const JobState& job) {
  const auto lacks = [&](std::uint16_t group, std::uint32_t tasks) {
    return claims_.lacks(turn.now, owner.jobs, master_, job, job.spec_of(group).demand, tasks);
  };
  const auto share = [&](std::uint16_t group) {
    return claims_.share_of(job, job.spec_of(group).demand);
  };
  gangs_.seek(turn_of(turn), master_, job, owner.prober, lacks, share);
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (!job.spec_of(group).gang) continue;
    if (gangs_.gathers(job, group)) {
      owner.prober.probe_group(turn, owner.around, job, group);
    } else if (!owner.prober.out(job, group).empty()) {
      owner.prober.withdraw(turn, job, group);
    }
  }
}

void Launcher::note(Time now, const federation::LaunchOutcome& outcome) {
  using Fate = federation::LaunchOutcome::Fate;
  const std::uint32_t job = outcome.job.number;
  claims_.note(now, outcome);
  if (outcome.fate == Fate::placed) unheard_.add(now, outcome.job, outcome.task);
  if (outcome.preempts) return;
  if (outcome.fate == Fate::placed) setbacks_.erase(job);
  if (outcome.fate != Fate::refused) return;
  Setback& setback = setbacks_[job];
  if (++setback.refused >= kRefusedMax) setback.rests_until = now + params_.launch_timeout;
}

Time Launcher::next(Time now, bool active) {
  has_jobs_ = active;
  if (active) {
    active_ = true;
    needed_until_ = now + params_.lease;
  }
  const Time idle_at = active_ && !active ? needed_until_ : kNever;
  return std::min({master_.wake_at(), gangs_.deadline(), unheard_.next(), idle_at});
}

std::vector<federation::LaunchOutcome> Launcher::wake(Turn& turn) {
  if (active_ && !has_jobs_ && turn.now >= needed_until_) {
    active_ = false;
    master_.leave(turn_of(turn));
  }
  gangs_.wake(turn_of(turn), master_);
  return master_.wake(turn_of(turn));
}

}  // namespace dunlin::sched
