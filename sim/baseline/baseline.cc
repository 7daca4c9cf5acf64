// SPDX-License-Identifier: MIT
#include "sim/baseline/baseline.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <numeric>
#include <utility>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/workload/task_bytes.h"
#include "sim/workload/workload.h"

// A comparison is fair only if the schedulers differ in nothing but their decisions. So baselines
// get the same jobs, machines and network delays as the peers, write the same events into the same
// recorder, and are spared everything that would only slow them down: faults, lost messages, queues
// on links. A figure of the peers that comes near a baseline's is therefore no luck.
namespace dunlin::sim {
namespace {

/// The attempt of a task among those that run on a machine. Requires that it is there.
template <typename Running>
Running& running_at(std::vector<Running>& running, const Work& work) {
  const auto found = std::ranges::find_if(running, [&](const Running& each) {
    return each.work.job == work.job && each.work.index == work.index;
  });
  ensure(found != running.end(), "a task that ends and does not run");
  return *found;
}

}  // namespace

Baseline::Baseline(const Options& options, Recorder& recorder)
    : options_(options),
      recorder_(recorder),
      eligibility_(options.machines),
      order_(options.machines.all().size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  for (const Machine& each : options.machines.all()) {
    machines_.push_back(
        {.speed = each.speed, .total = each.total, .room = sched::all_of(each.total)});
  }
  if (options.contention == nullptr) return;
  fluid_ = std::make_unique<FluidCluster>(
      *options.contention, *options.resources, [this](std::uint32_t index) {
        const auto is_due = [&](const Running& each) {
          return fluid_->end_of(index, each.number) <= now();
        };
        // The end of one may bring others to the machine, so each is looked for anew.
        auto& running = machines_[index].running;
        for (auto at = std::ranges::find_if(running, is_due); at != running.end();
            at = std::ranges::find_if(running, is_due)) {
          const Work work = at->work;
          end(index, work);
        }
      });
  for (const Machine& each : options.machines.all()) fluid_->add(each);
  fluid_->ready();
}

void Baseline::submit(std::uint32_t frontend, sched::Job job, const JobFacts& facts) {
  ensure(!job.groups.empty(), "a job without tasks");
  job.id = {.home = {frontend + 1}, .number = ++machines_[frontend].jobs};
  const std::uint32_t tasks = job.task_count();
  recorder_.on_submit(now(), job.id, tasks, facts);
  auto eligible = eligibility_.of(job.groups.front());
  place(std::make_shared<Placed>(Placed{.job = std::move(job),
      .frontend = frontend,
      .submitted = now(),
      .left = tasks,
      .eligible = std::move(eligible)}));
}

Duration Baseline::travel(std::uint32_t from, std::uint32_t to) {
  if (from == to) return Duration{0};
  ++messages_;
  recorder_.log().sent("baseline");
  return options_.delay(from, to, machines_[from].sent++);
}

std::vector<std::uint32_t> Baseline::draw_machines(const PlacedJob& job, std::size_t count) {
  std::vector<std::uint32_t> drawn;
  for (std::size_t i = 0; i < order_.size() && drawn.size() < count; ++i) {
    // A shuffle that stops when enough are drawn. It goes on from the last order, which is as good
    // as any.
    std::swap(order_[i], order_[i + rng().index(order_.size() - i)]);
    if (!satisfies(order_[i], job)) continue;
    if (sched::fits(job->demand(), sched::all_of(total(order_[i])))) drawn.push_back(order_[i]);
  }
  ensure(!drawn.empty(), "a task that fits no machine");
  // More probes than machines: those drawn are asked once more.
  for (std::size_t i = 0; drawn.size() < count; ++i) drawn.push_back(drawn[i]);
  return drawn;
}

void Baseline::hold(std::uint32_t machine, const PlacedJob& job) {
  ensure(sched::fits(job->demand(), room(machine)), "room that is not there");
  sched::take(machines_[machine].room, job->demand());
}

void Baseline::start_held(std::uint32_t machine, const Work& work, Time begin) {
  sched::give(machines_[machine].room, work.job->demand());
  start(machine, work, begin);
}

void Baseline::release(std::uint32_t machine, const PlacedJob& job) {
  sched::give(machines_[machine].room, job->demand());
  on_room(machine, job);
}

void Baseline::start(std::uint32_t index, const Work& work, Time begin, Duration overhead) {
  ensure(satisfies(index, work.job), "a task on a machine that does not satisfy it");
  State& machine = machines_[index];
  const sched::TaskGroup& group = work.group();
  const sched::Resources demand = work.demand();
  const std::uint32_t in_group = work.in_group().index;
  const Duration duration = duration_of(group, in_group);
  sched::take(machine.room, counted(demand));
  Running& running = machine.running.emplace_back(Running{.work = work, .begin = begin});
  if (fluid_ == nullptr) {
    running.end = begin + overhead + at_speed(duration, machine.speed);
    running.ends = ns3::Simulator::Schedule(
        to_ns3(running.end - now()), [this, index, work] { end(index, work); });
  } else {
    // The fluid model knows one amount of work: here the way of the task and what it takes to start
    // it count as work, too, and other tasks slow them.
    const sched::Resources use = use_of(group, in_group, work.input);
    running.number =
        fluid_->start(index, usage_of(demand), usage_of(use), begin - now() + overhead + duration);
    if (work.source) running.lent = fluid_->lend(*work.source, usage_of(use_at_source(use)));
  }
  if (work.source) sched::take(machines_[*work.source].room, work.loan());
  recorder_.on(now(),
      sched::TaskBound{.job = work.job->id(),
          .index = work.index,
          .attempt = work.attempt,
          .worker = {index + 1}});
  recorder_.on(begin,
      sched::TaskStarted{.job = work.job->id(), .index = work.index, .attempt = work.attempt});
  if (begin <= now()) {
    machine.running.back().class_id =
        recorder_.on_begin(now(), work.job->id(), demand.cpu, work.input);
  } else {
    // The task itself is on its way.
    schedule(begin - now(), [this, index, work] {
      running_at(machines_[index].running, work).class_id =
          recorder_.on_begin(now(), work.job->id(), work.demand().cpu, work.input);
    });
  }
}

Baseline::Running Baseline::take_out(
    std::uint32_t index, const Work& work, Time at, bool by_itself) {
  State& machine = machines_[index];
  const Running ended =
      // Order within a machine means nothing, so the last one takes its place.
      std::exchange(running_at(machine.running, work), std::move(machine.running.back()));
  machine.running.pop_back();
  const sched::Resources demand = ended.work.demand();
  sched::give(machine.room, counted(demand));
  if (ended.work.source) sched::give(machines_[*ended.work.source].room, ended.work.loan());
  if (fluid_ != nullptr) fluid_->end(index, ended.number);
  if (ended.lent != 0) fluid_->give_back(*ended.work.source, ended.lent);
  recorder_.on_work(index, ended.begin, at, demand.cpu);
  recorder_.attempts().cease(at, by_itself);
  recorder_.on_end(at, work.job->id(), index, by_itself);
  recorder_.plans().on_cease(at, work.job->id(), by_itself);
  if (ended.class_id != 0) recorder_.classes().change(at, ended.class_id, -1.0 * demand.cpu);
  return ended;
}

Duration Baseline::stop(std::uint32_t index, const Work& work) {
  Running stopped = take_out(index, work, now(), false);
  ns3::Simulator::Cancel(stopped.ends);
  return now() - stopped.begin;
}

void Baseline::end(std::uint32_t index, const Work& work) {
  // The order below is kept: room is free before on_end() and on_room(), which start the next task
  // in it from within this very event.
  const Running ended = take_out(index, work, now(), true);
  --work.job->left;
  // Each end is told to the frontend.
  schedule(travel(index, work.job->frontend), [this, job = work.job] {
    if (++job->told < job->job.task_count()) return;
    recorder_.on(now(),
        sched::JobFinished{.job = job->id(), .succeeded = job->told, .failed = 0, .cancelled = 0});
  });
  on_end(index, work, now() - ended.begin);
  on_room(index, work.job);
}

// What runs at the end was work done and room taken all the same: left out, a cluster under load
// would look idler the longer its tasks are.
void Baseline::settle() {
  for (std::uint32_t i = 0; i < machines(); ++i) {
    for (const Running& each : machines_[i].running) {
      if (each.begin > now()) continue;  // It is still on its way.
      recorder_.attempts().leave(now());
      recorder_.on_work(i, each.begin, now(), each.work.group().demand.cpu);
    }
  }
}

}  // namespace dunlin::sim
