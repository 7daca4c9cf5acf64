// SPDX-License-Identifier: MIT
#include "sim/baseline/megha.h"

#include <algorithm>

#include "sched/resources.h"
#include "sim/clock.h"

// Each arrow between masters is a message with the delay of the network. A turn begins when the
// master is free; what it says leaves at its end. With turns of no time all of that costs trips
// alone: one to the local master, one to the machine.
namespace dunlin::sim {
namespace {

using sched::CellView;
using sched::MemberRow;
using sched::federation::Heard;
using sched::federation::Place;
using sched::federation::Search;

/// The part of the cluster that a task takes, by the resource of which it takes most: what shares
/// of classes are counted in. Source: Ghodsi 2011.
double dominant(const sched::Resources& demand, const sched::Resources& total) {
  const auto part = [](double amount, double all) { return all > 0 ? amount / all : 0; };
  return std::max(part(demand.cpu, total.cpu), part(demand.memory, total.memory));
}

// As the published simulator does: jobs by the tasks that have not ended, ranked anew when one
// comes or a launch has failed, and not as tasks end.
template <typename Queues>
void rank(Queues& queues, MeghaOrder order) {
  if (order != MeghaOrder::tasks_left) return;
  for (auto& queue : queues) {
    queue.sort([](const auto& task) { return std::uint64_t{task->work.job->left}; });
  }
}

}  // namespace

Megha::Megha(const Options& options, Recorder& recorder) : Baseline(options, recorder) {
  const std::size_t queues = std::max<std::size_t>(options.classes.size(), 1);
  for (std::uint32_t g = 0; g < options.masters; ++g) {
    Global& global = *globals_.emplace_back(std::make_unique<Global>(megha::peer_of(g)));
    global.queues.resize(queues);
    global.used.resize(queues);
    global.crowds.resize(options.local_masters);
  }
  for (std::uint32_t l = 0; l < options.local_masters; ++l) {
    Local& local = *locals_.emplace_back(std::make_unique<Local>());
    // Behind the global masters, which sit on the first machines: between two masters on one
    // machine no message would take any time.
    local.at = (options.masters + l) % machines();
    local.told.resize(options.masters);
    local.handled.resize(options.masters);
  }
  // Shares are given as any numbers; what a class may take is its part of their sum.
  double shares = 0;
  for (const WorkloadClass& each : options.classes) shares += static_cast<double>(each.share);
  for (const WorkloadClass& each : options.classes) {
    shares_.push_back(static_cast<double>(each.share) / shares);
  }
  for (std::uint32_t m = 0; m < machines(); ++m) {
    sched::give(total_, total(m));
    Local& local = *locals_[local_of(m)];
    MemberRow row{.version = 1, .free = total(m)};
    sched::NodeKind kind{.total = total(m)};
    for (const auto& each : options.machines[m].attributes) kind.attributes.push_back(each);
    row.kind.push_back(kind);
    local.table.hear(row, {megha::peer_of(m), {}});
    local.running.emplace_back();
  }
  for (std::uint32_t l = 0; l < locals(); ++l) {
    for (std::uint32_t g = 0; g < options.masters; ++g) locals_[l]->table.attach(megha::peer_of(g));
    // Global masters begin with a true view.
    for (std::uint32_t g = 0; g < options.masters; ++g) hear(g, news(l, g));
    // Spread over one period, else all of them would beat at the same moment.
    schedule(params().heartbeat * (l + 1) / locals(), [this, l] { beat(l); });
  }
  counts_.masters = options.masters;
  counts_.local_masters = locals();
}

void Megha::place(const PlacedJob& job) {
  const sched::TaskGroup& group = job->job.groups.front();
  const auto next = static_cast<std::uint32_t>(wishes_.size());
  // Tasks that want the same are known by one number: where one found no node, none of them need
  // look again in this pass.
  const std::uint32_t wish = wishes_.try_emplace(wish_of(group), next).first->second;
  const auto& classes = options().classes;
  const auto its = std::ranges::find(classes, job->job.service_class, &WorkloadClass::name);
  const auto queue =
      its == classes.end() ? std::size_t{0} : static_cast<std::size_t>(its - classes.begin());
  // A frontend goes to the same global master always, so that its jobs are in one queue.
  const std::uint32_t chosen =
      params().dispatch == MeghaDispatch::tasks ? job->job.task_count() : job->frontend;
  const auto g = chosen % static_cast<std::uint32_t>(globals_.size());
  globals_[g]->server.post([=, this] {
    for (std::uint32_t i = 0; i < job->job.task_count(); ++i) {
      auto task = std::make_shared<Task>(Work{.job = job, .index = i}, queue, wish, job->submitted);
      task->part = dominant(job->demand(), total_);
      task->global = g;
      globals_[g]->enqueue(task);
    }
    rank(globals_[g]->queues, params().order);
    for (auto& each : globals_[g]->queues) each.begin_pass();
    seek(g);
    return turn_time(0);
  });
}

void Megha::retry(std::uint32_t g) {
  globals_[g]->missed.clear();
  for (auto& each : globals_[g]->queues) each.begin_pass();
  seek(g);
}

void Megha::seek(std::uint32_t g) {
  Global& global = *globals_[g];
  const bool waits =
      std::ranges::any_of(global.queues, [](const auto& queue) { return queue.size() > 0; });
  // One turn for one match: news that comes meanwhile is heard between two of them.
  // Of two turns for the same match the second would find the queue as the first left it.
  if (global.seeks || !waits) return;
  global.seeks = true;
  global.server.post([this, g] { return match(g); });
}

std::optional<Megha::TaskPtr> Megha::next_task(Global& global) {
  for (std::size_t i = 0; i < global.queues.size(); ++i) {
    // In turns, so that no class waits for the whole queue of another.
    const std::size_t queue = global.next_queue++ % global.queues.size();
    if (auto task = global.queues[queue].take(global.missed)) return task;
  }
  return std::nullopt;
}

Duration Megha::match(std::uint32_t g) {
  Global& global = *globals_[g];
  global.seeks = false;
  const auto found = next_task(global);
  if (!found) return Duration{0};
  const TaskPtr& task = *found;
  // Up to here it waited for its turn; what the turn itself takes is processing.
  task->clock.spend(&Allocation::framework_queue, now());
  const sched::TaskGroup& group = task->work.job->job.groups.front();
  const Search before = global.view.search();
  const auto place = global.view.match(
      group.demand, group.constraints, sched::federation::Pick::random, Time::min(), rng());
  const std::uint64_t rows = global.view.search().rows - before.rows;
  const std::uint64_t words = global.view.search().words - before.words;
  counts_.searched += rows;
  counts_.words += words;
  Duration took = turn_time(rows, words);
  if (place) {
    ++counts_.matches;
    launch(task, *place, took);
  } else {
    ++counts_.misses;
    took -= options().processing.message;  // It sends nothing.
    task->clock.spend(&Allocation::processing, now() + took);
    // Until news come, the view cannot say anything else to tasks that want the same.
    global.missed.insert(task->wish);
    task->prey_tried.clear();
    // A task that asks for the room of another is under way, and in no queue until it is answered.
    if (!preempts(g, task, took)) global.enqueue(task);
  }
  seek(g);
  return took;
}

void Megha::launch(const TaskPtr& task, const Place& place, Duration took) {
  Global& global = *globals_[task->global];
  const sched::Resources& demand = task->work.job->demand();
  const LaunchOrder order{
      .task = task, .node = place.node, .number = global.view.launch(place, demand)};
  // Before the local master has agreed: a master that launches many tasks between two answers must
  // not think its class below its share for all of them.
  global.used[task->queue] += task->part;
  const auto l = static_cast<std::uint32_t>(place.cell.value - 1);
  const Duration trip = travel(task->global, locals_[l]->at);
  task->clock.spend(&Allocation::processing, now() + took);
  task->clock.spend(&Allocation::communication, now() + took + trip);
  schedule(
      took + trip, [=, this] { locals_[l]->server.post([=, this] { return verify(l, order); }); });
}

void Megha::hear(std::uint32_t g, const News& news) {
  Global& global = *globals_[g];
  if (news.crowd) global.crowds[news.local] = news.crowd;
  for (const CellView& view : news.views) {
    // A gap: rows are missing between what is known and these news. The local master is told what
    // is known, and its next news begin there.
    if (global.view.learn(view, now()) != Heard::gap) continue;
    Local& local = *locals_[news.local];
    const std::uint64_t known = global.view.known(megha::cell_of(news.local)).version;
    schedule(travel(g, local.at), [&local, g, known] { local.told[g] = known; });
    return;
  }
}

Duration Megha::answer(const LaunchOrder& order, bool placed, const News& news) {
  const TaskPtr& task = order.task;
  Global& global = *globals_[task->global];
  // The news first: the launch is settled against a view that has it, and not counted twice.
  hear(task->global, news);
  global.view.settle(megha::cell_of(news.local), order.number);
  if (!placed) {
    global.used[task->queue] -= task->part;
    global.enqueue(task);
    rank(global.queues, params().order);
  }
  // The answer has news of the cell, so tasks that found nothing may find something now.
  retry(task->global);
  return turn_time(news.rows);
}

}  // namespace dunlin::sim
