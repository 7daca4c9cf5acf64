// SPDX-License-Identifier: MIT
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sched/worker/dispatch/planned_slots.h"
#include "tests/unit/sched/worker/preemption_stage.h"

// Tasks beyond what a plan gives their jobs yield to those within.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;
using sched::OnPreempt;
using sched::Refused;

class PlanPreemptionTest : public PreemptionTest {
 protected:
  PlanPreemptionTest() : PreemptionTest(sched::PreemptMode::plan) {}
  struct Given {
    std::uint32_t job = 0;
    std::uint32_t slots = 0;
    std::uint32_t over = 0;   ///< It holds so many too many, in all.
    std::uint32_t total = 0;  ///< Its slots in all, if it holds more or fewer.
  };
  void allot(std::initializer_list<Given> jobs) {
    std::vector<sched::cell::Allotted> all;
    for (const Given& each : jobs) {
      all.push_back({.job = reserve_of(each.job).job,
          .frontend = {99},
          .slots = each.slots,
          .total = each.total,
          .over = each.over});
    }
    worker.plan().set_allotments(now, all);
    now += 1ms;
    wake();
  }
};

TEST_F(PlanPreemptionTest, WithoutAPlanNothingIsStopped) {
  fill();
  come(reserve(9, 95));
  EXPECT_FALSE(asks());
}

TEST_F(PlanPreemptionTest, WhatIsBeyondItsSlotsYieldsToWhatIsWithin) {
  fill();
  allot({{1, 1}, {2, 1}, {3, 0, 1}, {4, 1}, {9, 1}});
  come(reserve(9, 10));
  ASSERT_TRUE(asks()) << "whatever the priority";
  answer(0);
  EXPECT_EQ(stopped(), std::vector<std::uint32_t>{3});
  out.clear();
  come(reserve(8, 95));
  EXPECT_FALSE(asks()) << "the plan gives it nothing";
}

// Its task would begin anew elsewhere, and its work be lost for nothing.
TEST_F(PlanPreemptionTest, ATaskInAnothersSlotStaysUnlessItsJobHoldsTooMany) {
  fill();
  allot({{1, 1}, {2, 1}, {4, 1}, {9, 1}});
  come(reserve(9, 10));
  EXPECT_FALSE(asks());
  allot({{1, 1}, {2, 1}, {3, 0, 0, 2}, {4, 1}, {9, 1}});
  EXPECT_FALSE(asks()) << "job 3 has slots elsewhere, and may have one more";
  allot({{1, 1, 1}, {2, 1}, {4, 1}, {9, 1}});
  EXPECT_FALSE(asks()) << "job 1 holds too many, but not here";
  allot({{1, 0, 1}, {2, 1}, {3, 1}, {9, 1}});
  ASSERT_TRUE(asks());
  answer(0);
  EXPECT_EQ(stopped(), std::vector<std::uint32_t>{1});
}

TEST_F(PlanPreemptionTest, AJobKeepsWhatThePlanGivesIt) {
  sched::Reserve many = reserve(1, 10);
  many.tasks_max = 4;
  come(many);
  sched::Tasks tasks = answer_to(out.all<GetTask>().back(), {0, 1, 2, 3});
  tasks.on_preempt = OnPreempt::requeue;
  tasks.spec = Script{.duration = 1000s}.spec();
  auto now_turn = turn();
  worker.on_message(now_turn, node(99), tasks);
  now += 10s;
  sched::Reserve other = reserve(9, 10);
  other.tasks_max = 4;
  come(other);
  out.clear();
  allot({{1, 3, 1}, {9, 4}});
  ASSERT_TRUE(asks()) << "a new plan may let it start";
  EXPECT_EQ(out.all<GetTask>().back().room, 1u) << "job 1 has one slot too many";
}

TEST_F(PlanPreemptionTest, APlanThatChangedMeanwhileStopsNothing) {
  fill();
  come(reserve(9, 10));
  allot({{9, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {4, 0, 1}});
  ASSERT_TRUE(asks());
  allot({{1, 1}, {2, 1}, {3, 1}, {4, 1}});
  answer(0);
  EXPECT_TRUE(stopped().empty());
  EXPECT_EQ(out.all<Refused>().size(), 1u);
}

}  // namespace
}  // namespace dunlin::test
