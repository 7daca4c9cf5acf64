// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/resources.h"
#include "sim/baseline/megha.h"
#include "sim/clock.h"

// Algorithm 2 of the paper, as reconstructed: a task without a match, of a class below its share,
// asks for the room of a task of the class that is furthest above its own; if that fails, for one
// of the next class. What a class takes is known exactly by the only global master that has its
// queue, and else as local masters last told.
namespace dunlin::sim {

std::shared_ptr<const Megha::Crowd> Megha::crowd(std::uint32_t l) {
  Local& local = *locals_[l];
  // Made once until a task comes or goes: each news carries it, and it is as long as the cell.
  if (local.crowd != nullptr) return local.crowd;
  const std::size_t classes = options().classes.size();
  Crowd crowd{.tasks = std::vector<std::uint16_t>(local.running.size() * classes),
      .use = std::vector<double>(classes)};
  for (std::size_t member = 0; member < local.running.size(); ++member) {
    for (const TaskPtr& task : local.running[member]) {
      ++crowd.tasks[member * classes + task->queue];
      crowd.use[task->queue] += task->part;
    }
  }
  local.crowd = std::make_shared<const Crowd>(std::move(crowd));
  return local.crowd;
}

double Megha::Global::used_by(std::size_t queue, bool is_pinned) const {
  if (is_pinned) return used[queue];
  double sum = 0;
  for (const auto& each : crowds) sum += each == nullptr ? 0 : each->use[queue];
  return sum;
}

std::optional<Megha::Prey> Megha::prey(std::uint32_t g, const TaskPtr& task) {
  const Global& global = *globals_[g];
  const auto& classes = options().classes;
  while (true) {
    std::optional<std::size_t> worst;
    double violation = 0;
    for (std::size_t v = 0; v < classes.size(); ++v) {
      if (v == task->queue || task->prey_tried.contains(v)) continue;
      const double over = global.used_by(v, classes[v].at == g) - shares_[v];
      if (over <= violation) continue;
      worst = v;
      violation = over;
    }
    if (!worst) return std::nullopt;
    // Also if it has a victim: the next try is about the next class.
    task->prey_tried.insert(*worst);
    // From a machine by chance on, else the same ones would always yield.
    const std::uint32_t first = static_cast<std::uint32_t>(rng().index(machines()));
    for (std::uint32_t i = 0; i < machines(); ++i) {
      const std::uint32_t machine = (first + i) % machines();
      const auto& crowd = global.crowds[local_of(machine)];
      if (crowd == nullptr || !satisfies(machine, task->work.job)) continue;
      if (crowd->tasks[machine / locals() * classes.size() + *worst] == 0) continue;
      return Prey{.queue = *worst, .machine = machine};
    }
  }
}

bool Megha::preempts(std::uint32_t g, const TaskPtr& task, Duration took) {
  if (options().classes.empty()) return false;
  const bool is_pinned = options().classes[task->queue].at == g;
  const double mine = globals_[g]->used_by(task->queue, is_pinned);
  // With this task it would be above its share: it may not take from others what it must give back.
  if (mine + task->part > shares_[task->queue]) return false;
  const auto prey = this->prey(g, task);
  if (!prey) return false;
  ++counts_.preemption_attempts;
  const std::uint32_t l = local_of(prey->machine);
  // Counted as taken until the answer, as launch() does.
  globals_[g]->used[task->queue] += task->part;
  const Duration trip = travel(g, locals_[l]->at);
  task->clock.spend(&Allocation::communication, now() + took + trip);
  schedule(took + trip, [=, this, prey = *prey] {
    locals_[l]->server.post([=, this] { return verify(l, task, prey); });
  });
  return true;
}

/// The youngest task of that class there which makes the room goes.
Duration Megha::verify(std::uint32_t l, const TaskPtr& task, const Prey& prey) {
  Local& local = *locals_[l];
  task->clock.spend(&Allocation::local_queue, now());
  const sched::Resources& demand = task->work.job->demand();
  auto& running = local.running[prey.machine / locals()];
  TaskPtr victim;
  for (const TaskPtr& each : running) {
    if (each->queue != prey.queue) continue;
    // The row has what is free, less what is on its way: with the room of this one it must be
    // enough.
    sched::Resources free = local.table.find({prey.machine + 1})->free;
    sched::give(free, each->work.job->demand());
    // Tasks stand in the order in which they were taken in, so the last that suits is the youngest.
    if (sched::fits(demand, free)) victim = each;
  }
  if (victim != nullptr) {
    ++counts_.preemptions;
    local.table.settle(victim->start);
    std::erase(running, victim);
    take_in(l, task, prey.machine);
  }
  const News news = this->news(l, task->global);
  const Duration took = turn_time(1 + news.rows);
  task->clock.spend(&Allocation::processing, now() + took);
  if (victim != nullptr) {
    const Duration trip = travel(local.at, prey.machine);
    task->clock.spend(&Allocation::communication, now() + took + trip);
    schedule(took + trip, [=, this] { yield(victim, task); });
  }
  const bool granted = victim != nullptr;
  schedule(took + travel(local.at, task->global), [=, this] {
    if (!granted) task->clock.spend(&Allocation::communication, now());
    globals_[task->global]->server.post([=, this] { return answer(task, granted, news); });
  });
  return took;
}

/// A task that ended by itself meanwhile has left its room, too.
void Megha::yield(const TaskPtr& victim, const TaskPtr& task) {
  // The same task may have a new attempt by now, of the same job and index: it is another entry,
  // and must not be stopped for the old one.
  const auto running = running_.find({victim->work.job.get(), victim->work.index});
  if (running != running_.end() && running->second == victim) {
    running_.erase(running);
    stop(victim->machine, victim->work);
    const std::uint32_t at = locals_[local_of(victim->machine)]->at;
    schedule(travel(victim->machine, at) + travel(at, victim->global), [=, this] {
      globals_[victim->global]->server.post([=, this] {
        Global& global = *globals_[victim->global];
        global.used[victim->queue] -= victim->part;
        auto again = std::make_shared<Task>(*victim);
        ++again->work.attempt;
        global.enqueue(again);
        retry(victim->global);
        return turn_time(0);
      });
    });
  }
  begin(task);
}

Duration Megha::answer(const TaskPtr& task, bool granted, const News& news) {
  Global& global = *globals_[task->global];
  hear(task->global, news);
  if (granted) {
    retry(task->global);
  } else {
    // Another class is asked, or it waits for other news than these.
    global.used[task->queue] -= task->part;
    task->clock.spend(&Allocation::framework_queue, now());
    if (!preempts(task->global, task, turn_time(news.rows))) global.enqueue(task);
  }
  return turn_time(news.rows);
}

}  // namespace dunlin::sim
