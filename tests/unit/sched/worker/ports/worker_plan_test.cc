// SPDX-License-Identifier: MIT
#include "sched/worker/ports/worker_plan.h"

#include <cstdint>
#include <span>
#include <vector>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// A worker learns how fast its node is, and tells it with reports where there are plans. What a
// plan gives to jobs is in planned_slots_test.cc.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

class WorkerSpeed : public Solo {
 protected:
  /// A task that should take `measured` takes `took` here, and ends so. Returns what is told.
  std::uint32_t run(sched::Duration measured, sched::Duration took, std::int32_t status = 0) {
    const sched::Reserve group = reserve_of(1);
    sched::Tasks tasks{.job = group.job};
    tasks.tasks = {{index, 1, {}}};
    tasks.measured = measured;
    sched::Turn starting = turn();
    EXPECT_TRUE(worker.for_masters().start(starting, group, tasks));
    out.clear();
    sched::Report report{.index = index, .attempt = 1, .wall = took};
    report.status = status;
    const sched::Exit exit{.job = group.job, .report = report};
    sched::Turn ending = turn();
    worker.on_exits(ending, around(), std::span(&exit, 1));
    ++index;
    // The reports before are sent again with it, each for itself or together.
    return out.all<sched::Done>().back().speed;
  }
  std::uint32_t run(int tasks, sched::Duration measured, sched::Duration took, int status = 0) {
    std::uint32_t told = 0;
    for (int i = 0; i < tasks; ++i) told = run(measured, took, status);
    return told;
  }

  sched::Worker worker{{}, LooseParts::node_of(4000)};
  std::uint32_t index = 0;
};

TEST_F(WorkerSpeed, IsToldOnlyWhereThereArePlans) {
  EXPECT_EQ(run(20, 2s, 1s), 0u);
  worker.plan().tell_speed(true);
  EXPECT_EQ(run(2s, 1s), 2000u) << "it was learnt before";
  worker.plan().tell_speed(false);
  EXPECT_EQ(run(2s, 1s), 0u);
}

TEST_F(WorkerSpeed, IsWhatTheOperatorSays) {
  worker.plan().tell_speed(true, 500);
  EXPECT_EQ(run(20, 2s, 1s), 500u);
}

TEST_F(WorkerSpeed, TasksThatFailSayNothing) {
  worker.plan().tell_speed(true);
  EXPECT_EQ(run(20, 2s, 1ms, 1), sched::kSpeedUsual);
}

TEST_F(WorkerSpeed, AClosedNodeLacksNoReservation) {
  const std::vector<sched::cell::Allotted> allotted{
      {.job = reserve_of(1).job, .frontend = {99}, .slots = 2, .rank = 1}};
  worker.plan().set_allotments(now, allotted);
  EXPECT_EQ(worker.plan().lacking_reservations().size(), 1u);
  sched::Turn one = turn();
  worker.drain(one, around(), true);
  EXPECT_TRUE(worker.plan().lacking_reservations().empty());
}

}  // namespace
}  // namespace dunlin::test
