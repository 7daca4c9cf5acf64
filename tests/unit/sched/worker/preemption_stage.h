// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// A worker of four CPUs, which tests fill with tasks for which others then come.
class PreemptionTest : public Solo {
 protected:
  explicit PreemptionTest(sched::PreemptMode mode = sched::PreemptMode::emergency)
      : worker(params(mode), LooseParts::node_of(4000)) {}

  static sched::WorkerParams params(sched::PreemptMode mode) {
    sched::WorkerParams params;
    params.preempt = mode;
    params.preempt_exempt = std::chrono::seconds(2);
    params.suspend_max = std::chrono::seconds(100);
    params.preempt_max = 3;
    return params;
  }
  static sched::Reserve reserve(
      std::uint32_t job, std::int16_t priority, std::uint32_t cpu = 1000) {
    sched::Reserve reserve = reserve_of(job, std::chrono::seconds(1000));
    reserve.priority = priority;
    reserve.demand.cpu = cpu;
    reserve.settled = true;
    return reserve;
  }
  void come(const sched::Reserve& reserve) {
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
  }
  /// Answers the last question with task `index`.
  void answer(std::uint32_t index,
      sched::OnPreempt on_preempt = sched::OnPreempt::requeue,
      std::uint16_t preemptions = 0) {
    sched::Tasks tasks = answer_to(out.all<sched::GetTask>().back(), {index});
    tasks.tasks[0].preemptions = preemptions;
    tasks.suspends = on_preempt == sched::OnPreempt::suspend;
    tasks.on_preempt = tasks.suspends ? sched::OnPreempt::requeue : on_preempt;
    tasks.task_time = std::chrono::seconds(1000);
    tasks.spec = Script{.duration = std::chrono::seconds(1000)}.spec();
    auto now_turn = turn();
    worker.on_message(now_turn, node(99), tasks);
  }
  /// A task runs from now on.
  void run(std::uint32_t job,
      std::int16_t priority,
      std::uint32_t cpu = 1000,
      sched::OnPreempt on_preempt = sched::OnPreempt::requeue,
      std::uint16_t preemptions = 0) {
    come(reserve(job, priority, cpu));
    answer(0, on_preempt, preemptions);
    out.clear();
  }
  void fill(sched::OnPreempt on_preempt = sched::OnPreempt::requeue) {
    for (std::uint32_t job = 1; job <= 4; ++job) run(job, 10, 1000, on_preempt);
    now += std::chrono::seconds(10);
  }
  std::vector<std::uint32_t> stopped() const {
    std::vector<std::uint32_t> jobs;
    for (const sched::Event& event : events.seen) {
      if (const auto* one = std::get_if<sched::TaskPreempted>(&event))
        jobs.push_back(one->job.number);
    }
    return jobs;
  }
  bool asks() const { return !out.all<sched::GetTask>().empty(); }
  bool runs(std::uint32_t job) const { return executor.runs({reserve_of(job).job, 0}); }
  bool stands(std::uint32_t job) const { return executor.stands({reserve_of(job).job, 0}); }
  std::size_t standing() const {
    std::size_t count = 0;
    for (std::uint32_t job = 1; job <= 4; ++job) count += stands(job) ? 1u : 0u;
    return count;
  }
  /// The one task of a job ends by itself.
  void finish(std::uint32_t job) {
    auto now_turn = turn();
    worker.on_exits(now_turn, around(),
        std::vector<sched::Exit>{
            {.job = reserve_of(job).job, .report = {.index = 0, .attempt = 1}}});
  }
  void wake() {
    auto now_turn = turn();
    worker.wake(now_turn);
  }
  void let_end(sched::Duration after = std::chrono::seconds(1)) {
    now += after;
    const auto exits = executor.take_ended(now);
    auto now_turn = turn();
    worker.on_exits(now_turn, around(), exits);
  }

  sched::Worker worker;
};

}  // namespace dunlin::test
