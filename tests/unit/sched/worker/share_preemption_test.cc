// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "sched/worker/share/class_balance.h"
#include "tests/unit/sched/worker/preemption_stage.h"

// Classes below their share have room of the class furthest above its own.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;
using sched::GetTask;

class SharePreemptionTest : public PreemptionTest {
 protected:
  SharePreemptionTest() : PreemptionTest(sched::PreemptMode::share) {
    worker.classes().set_tickets(
        now, std::vector<std::pair<ClassId, sched::Tickets>>{{1, 2000}, {2, 1000}, {3, 1000}});
  }
  sched::Reserve of_class(ClassId class_id, std::uint32_t job, std::uint16_t tasks = 1) {
    sched::Reserve made = reserve(job, 50);
    made.class_id = class_id;
    made.tasks_max = tasks;
    return made;
  }
  void run_as(ClassId class_id, std::uint32_t job) {
    come(of_class(class_id, job));
    answer(0);
    out.clear();
  }
};

TEST_F(SharePreemptionTest, AClassBelowItsShareHasRoomOfTheOneFurthestAbove) {
  for (std::uint32_t job = 1; job <= 3; ++job) run_as(2, job);  // One is its share.
  run_as(3, 4);
  now += 10s;
  come(of_class(3, 8));
  EXPECT_FALSE(asks()) << "it has its share";
  come(of_class(1, 9, 4));
  ASSERT_TRUE(asks());
  EXPECT_EQ(out.all<GetTask>().back().room, 2u) << "its share, and what class 2 has too much";
  answer(0);
  EXPECT_EQ(stopped().size(), 1u);
  EXPECT_LE(stopped().front(), 3u);
}

TEST_F(SharePreemptionTest, WhatIsTakenIsNotTakenBack) {
  for (std::uint32_t job = 1; job <= 4; ++job) run_as(2, job);
  now += 10s;
  come(of_class(1, 9, 4));
  sched::Tasks tasks = answer_to(out.all<GetTask>().back(), {0, 1});
  tasks.on_preempt = sched::OnPreempt::requeue;
  tasks.spec = Script{.duration = 1000s}.spec();
  auto now_turn = turn();
  worker.on_message(now_turn, node(99), tasks);
  EXPECT_EQ(stopped().size(), 2u);
  let_end();
  out.clear();
  now += 10s;
  come(of_class(2, 8, 4));
  EXPECT_FALSE(asks());
}

/// A local master says that a task of that class is to start, over tasks of another one.
class LedSharePreemptionTest : public SharePreemptionTest {
 protected:
  LedSharePreemptionTest() { worker.for_masters().set_led(true); }
  bool start_over(ClassId class_id, ClassId over, std::uint32_t index = 0) {
    const sched::Reserve group = of_class(class_id, 9);
    sched::Tasks tasks{.job = group.job};
    tasks.tasks = {{index, 1, {}}};
    sched::Turn one = turn();
    return worker.for_masters().start(one, group, tasks, over);
  }
};

TEST_F(LedSharePreemptionTest, StopsTasksOfTheClassThatIsNamed) {
  for (std::uint32_t job = 1; job <= 2; ++job) run_as(2, job);
  for (std::uint32_t job = 3; job <= 4; ++job) run_as(3, job);
  EXPECT_FALSE(start_over(1, 3)) << "they run for less than preempt_exempt";
  now += 10s;
  EXPECT_FALSE(start_over(3, 3)) << "of its own class";
  EXPECT_FALSE(start_over(2, 1)) << "there are none";
  ASSERT_TRUE(start_over(2, 3)) << "whatever the shares of this node are";
  EXPECT_EQ(stopped().size(), 1u);
  EXPECT_GE(stopped().front(), 3u);
  EXPECT_TRUE(worker.running().back().waits);
  EXPECT_TRUE(worker.running().back().by_master);
  EXPECT_TRUE(start_over(2, 3)) << "the same attempt";
  EXPECT_EQ(stopped().size(), 1u);
  let_end();
  EXPECT_FALSE(worker.running().back().waits);
}

TEST_F(LedSharePreemptionTest, ItsOwnSharesStopNothing) {
  for (std::uint32_t job = 1; job <= 4; ++job) run_as(2, job);
  now += 10s;
  come(of_class(1, 9, 4));
  EXPECT_FALSE(asks());
  worker.for_masters().set_led(false);
  come(of_class(1, 10, 4));
  EXPECT_TRUE(asks());
}

TEST_F(LedSharePreemptionTest, TellsWhatClassesHoldAndWhatOfItYields) {
  run_as(2, 1);
  run_as(2, 2);
  run_as(3, 3);
  come(of_class(3, 4));
  answer(0, sched::OnPreempt::never);
  const auto uses = worker.for_masters().class_uses();
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].class_id, 2u);
  EXPECT_EQ(uses[0].frontend, node(99).id);
  EXPECT_EQ(uses[0].used, 2000u);
  EXPECT_EQ(uses[0].yields.cpu, 2000u);
  EXPECT_EQ(uses[1].used, 2000u);
  EXPECT_EQ(uses[1].yields.cpu, 1000u) << "one is protected";
}

TEST_F(SharePreemptionTest, WithoutTicketsNothingIsStopped) {
  worker.classes().set_tickets(now, {});
  for (std::uint32_t job = 1; job <= 4; ++job) run_as(2, job);
  now += 10s;
  come(of_class(1, 9));
  EXPECT_FALSE(asks());
}

}  // namespace
}  // namespace dunlin::test
