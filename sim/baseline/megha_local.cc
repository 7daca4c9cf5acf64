// SPDX-License-Identifier: MIT
#include <algorithm>

#include "overlay/ensure.h"
#include "sched/resources.h"
#include "sim/baseline/megha.h"
#include "sim/clock.h"

// Local masters: what they know of their machines is current but for tasks that have just ended.
namespace dunlin::sim {
namespace {

using sched::CellView;

/// A machine looks again for room that a preempted task leaves.
constexpr Duration kLookAgain = std::chrono::milliseconds(1);

}  // namespace

Duration Megha::verify(std::uint32_t l, const LaunchOrder& order) {
  Local& local = *locals_[l];
  const TaskPtr& task = order.task;
  // Each place where the task was has its part of the waiting, cut off where it leaves: see
  // Allocation.
  task->clock.spend(&Allocation::local_queue, now());
  const sched::TaskGroup& group = task->work.job->job.groups.front();
  const bool is_own = local.table.owners().owner_of(order.node) == megha::peer_of(task->global);
  const bool fits = local.table.has_room(order.node, group.demand, group.constraints);
  if (fits) {
    take_in(l, task, static_cast<std::uint32_t>(order.node.value - 1));
    ++counts_.placed;
    // A node of another master's part, taken by this task: a repartition.
    if (!is_own) ++counts_.repartitions;
  } else {
    ++(is_own ? counts_.internal : counts_.external);
  }
  // Launches overtake each other on the way; what news include is told by the highest number.
  local.handled[task->global] = std::max(local.handled[task->global], order.number);
  const News news = this->news(l, task->global);
  const Duration took = turn_time(1 + news.rows);
  task->clock.spend(&Allocation::processing, now() + took);
  if (fits) {
    const Duration trip = travel(local.at, task->machine);
    task->clock.spend(&Allocation::communication, now() + took + trip);
    schedule(took + trip, [=, this] { begin(task); });
  }
  if (!fits) report_elsewhere(l, task->global);
  schedule(took + travel(local.at, task->global), [=, this] {
    if (!fits) order.task->clock.spend(&Allocation::communication, now());
    globals_[order.task->global]->server.post([=, this] { return answer(order, fits, news); });
  });
  return took;
}

void Megha::take_in(std::uint32_t l, const TaskPtr& task, std::uint32_t machine) {
  Local& local = *locals_[l];
  task->machine = machine;
  task->start = ++start_last_;
  local.table.send(task->start, megha::peer_of(machine), task->work.job->demand());
  // Machines are dealt to local masters in turn, so a machine's place in its cell is the quotient.
  local.running[machine / locals()].push_back(task);
  local.crowd.reset();
}

void Megha::begin(const TaskPtr& task) {
  // The local master counted the room of a task that is still being stopped.
  if (!sched::fits(task->work.job->demand(), room(task->machine))) {
    return schedule(kLookAgain, [=, this] { begin(task); });
  }
  task->clock.spend(&Allocation::worker_queue, now());
  running_[{task->work.job.get(), task->work.index}] = task;
  start(task->machine, task->work, now());
  // A task that was stopped has run meanwhile, and its parts would count that as waiting.
  if (task->work.attempt > 1) return;
  const Allocation& parts = task->clock.parts();
  // No moment of it may be missing or counted twice, or the parts would prove nothing.
  ensure(parts.sum() == now() - task->work.job->submitted, "an allocation with a gap");
  recorder().on_allocation(task->work.job->id(), parts);
}

Megha::News Megha::news(std::uint32_t l, std::uint32_t g) {
  Local& local = *locals_[l];
  News news{.local = l, .crowd = !options().classes.empty() ? crowd(l) : nullptr};
  // The views are made now and told when the turn ends: what changes meanwhile is for the next
  // news.
  const std::uint64_t begun = local.told[g];
  bool last = false;
  while (!last) {
    CellView view = local.table.continued(local.told[g], begun);
    view.cell = megha::cell_of(l);
    view.epoch = 1;
    view.included = local.handled[g];
    // As told already, though it is still under way: no message is lost here. One that overtakes
    // another leaves a gap, of which the global master tells.
    local.told[g] = view.version;
    last = view.last;
    news.rows += view.rows.size();
    news.views.push_back(std::move(view));
  }
  // With full updates a heartbeat costs as if all rows were told.
  if (params().updates == RowUpdates::full) news.rows = local.table.size();
  return news;
}

/// Tells a global master the news: they leave after some time, at the end of a turn.
void Megha::tell(std::uint32_t l, std::uint32_t g, Duration after) {
  schedule(after + travel(locals_[l]->at, g), [this, g, news = news(l, g)] {
    globals_[g]->server.post([this, g, news] {
      hear(g, news);
      retry(g);
      return turn_time(news.rows);
    });
  });
}

void Megha::report(std::uint32_t l, std::uint32_t g) {
  locals_[l]->server.post([=, this] {
    const Duration took =
        params().updates == RowUpdates::full ? turn_time(locals_[l]->table.size()) : turn_time(0);
    tell(l, g, took);
    return took;
  });
}

void Megha::report_elsewhere(std::uint32_t l, std::uint32_t g) {
  if (params().news != MeghaNews::all) return;
  for (std::uint32_t other = 0; other < locals(); ++other) {
    if (other != l) report(other, g);
  }
}

void Megha::beat(std::uint32_t l) {
  for (std::uint32_t g = 0; g < globals_.size(); ++g) report(l, g);
  schedule(params().heartbeat, [this, l] { beat(l); });
}

void Megha::on_end(std::uint32_t machine, const Work& work, Duration) {
  // Taken out before the local master hears of it: a victim that ended by itself is not stopped a
  // second time. See yield().
  const auto running = running_.extract({work.job.get(), work.index});
  const TaskPtr& task = running.mapped();
  const std::uint32_t l = local_of(machine);
  schedule(travel(machine, locals_[l]->at),
      [=, this] { locals_[l]->server.post([=, this] { return end(l, task); }); });
}

Duration Megha::end(std::uint32_t l, const TaskPtr& task) {
  Local& local = *locals_[l];
  local.table.settle(task->start);
  std::erase(local.running[task->machine / locals()], task);
  local.crowd.reset();
  const News news = this->news(l, task->global);
  const Duration took = turn_time(1 + news.rows);
  report_elsewhere(l, task->global);
  schedule(took + travel(local.at, task->global), [=, this] {
    globals_[task->global]->server.post([=, this] {
      globals_[task->global]->used[task->queue] -= task->part;
      hear(task->global, news);
      retry(task->global);
      return turn_time(news.rows);
    });
  });
  return took;
}

}  // namespace dunlin::sim
