// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sched/worker/discipline/discipline.h"
#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/pending_requests.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/slots.h"

namespace dunlin::test {

/// A reservation of job `number`, submitted at node 99: one task of one CPU that takes so long.
inline sched::Reserve reserve_of(
    std::uint32_t number, sched::Duration task_time = std::chrono::seconds(1)) {
  sched::Reserve reserve;
  reserve.job = {.home = {99}, .number = number};
  reserve.probe = number;
  reserve.frontend = sched::Address::v4(0x0a000063, 7700);
  reserve.demand = {.cpu = 1000, .memory = 1, .custom = {}};
  reserve.priority = 50;
  reserve.tasks_max = 1;
  reserve.task_time = reserve.work = task_time;
  return reserve;
}

/// The answer to `asked` with tasks of these indices, each in its first attempt.
inline sched::Tasks answer_to(
    const sched::GetTask& asked, const std::vector<std::uint32_t>& indices) {
  sched::Tasks tasks{.job = asked.job, .group = asked.group, .probe = asked.probe};
  tasks.request = asked.request;
  for (const std::uint32_t index : indices) tasks.tasks.push_back({index, 1, {}});
  return tasks;
}

/// The parts of a worker without the worker, at node 1: each can be looked at alone.
struct LooseParts {
  explicit LooseParts(std::uint32_t cpu = 4000, const sched::WorkerParams& worker_params = {})
      : LooseParts(node_of(cpu).total, worker_params) {}
  LooseParts(const sched::Resources& total, const sched::WorkerParams& worker_params)
      : params(worker_params),
        node(node_of(total)) {}
  LooseParts(const LooseParts&) = delete;
  LooseParts& operator=(const LooseParts&) = delete;

  static sched::NodeSpec node_of(const sched::Resources& total) {
    sched::NodeSpec node;
    node.endpoint = {.id = {1}, .address = sched::Address::v4(0x0a000001, 7700)};
    node.total = total;
    return node;
  }
  static sched::NodeSpec node_of(std::uint32_t cpu) {
    return node_of(sched::Resources{.cpu = cpu, .memory = 8192, .custom = {}});
  }
  /// Starts task `index` of the job of `reserve`.
  void run(sched::Turn turn, const sched::Reserve& reserve, std::uint32_t index = 0) {
    sched::Tasks tasks{.job = reserve.job};
    tasks.task_time = reserve.task_time;
    running.start(turn, sched::arriving(reserve, turn.now), tasks, {index, 1, {}});
  }
  /// Puts `reserve` into the queue.
  void wait(sched::Time now, const sched::Reserve& reserve) {
    sched::QueuedReservation waiting = sched::arriving(reserve, now);
    discipline->weigh(waiting);
    queue.push(std::move(waiting));
  }

  sched::WorkerParams params;
  sched::NodeSpec node;
  sched::WorkerIncarnation incarnation{.number = 1};
  sched::Slots slots{params, node};
  sched::Queue queue{params.queue_max};
  std::unique_ptr<const sched::Discipline> discipline = sched::make_discipline(params, node.total);
  sched::PendingRequests requests{params, incarnation, slots, queue};
  sched::RunningTasks running{params, slots};
  sched::MeanTaskTime task_times;
  sched::PlannedSlots planned;
  sched::WorkerParts all{slots, queue, requests, running, *discipline, task_times, &planned};
};

}  // namespace dunlin::test
