// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "sched/frontend/plan/claims.h"
#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobTable;

class PlanClaimsTest : public OwnJob {
 protected:
  sched::JobState& add(sched::Job job) {
    job.id = table.next_id(0);
    return table.add({std::move(job), now});
  }
  std::vector<sched::cell::Claim> claims() {
    (void)table.active();  // Tests change jobs that were given out long ago.
    table.note_changes();
    std::vector<sched::cell::Claim> claims;
    add_claims(table, now, claims);
    return claims;
  }

  JobTable table{kHome};
};

TEST_F(PlanClaimsTest, AJobClaimsForItsTasksThatHaveNotEnded) {
  sched::Job wanted = test::job(5);
  wanted.groups[0].priority = 70;
  wanted.groups[0].duration = 4s;
  wanted.deadline = 60s;
  sched::JobState& state = add(wanted);
  now += 3s;
  ASSERT_TRUE(state.bind(0, node(1), 1, now));
  ASSERT_EQ(claims().size(), 1u);
  EXPECT_EQ(claims()[0].job, state.id());
  EXPECT_EQ(claims()[0].priority, 70);
  EXPECT_EQ(claims()[0].left, 5u);
  EXPECT_EQ(claims()[0].task_time, 4s);
  EXPECT_EQ(claims()[0].age, 3s);
  EXPECT_EQ(claims()[0].deadline, 60s);
  state.cancel_all();
  EXPECT_EQ(claims()[0].left, 1u) << "one task runs on until its worker says so";
}

TEST_F(PlanClaimsTest, LengthsAreThoseOfTasksThatEndedElseAsToldElseUnknown) {
  add(test::job(2));
  EXPECT_EQ(claims()[0].task_time, 0s);
  sched::JobState& state = *table.find({.home = kHome, .number = 1});
  const auto bound = state.bind(0, node(1), 1, now);
  ASSERT_TRUE(bound);
  sched::Report report{.index = bound->index, .attempt = bound->attempt, .wall = 7s};
  ASSERT_TRUE(state.end(report, node(1).id, now));
  EXPECT_EQ(claims()[0].task_time, 7s);
  EXPECT_EQ(claims()[0].left, 1u);
}

// A slot that ends a task each 1.2 s ends fewer until a deadline than its runs of 1 s say.
TEST_F(PlanClaimsTest, WhatASlotSpendsBesidesTheRunCounts) {
  sched::JobState& state = add(test::job(60));
  const auto end_after = [&](sched::Duration passed) {
    const auto bound = state.bind(0, node(1), 1, now);
    ASSERT_TRUE(bound);
    now += passed;
    ASSERT_TRUE(
        state.end({.index = bound->index, .attempt = bound->attempt, .wall = 1s}, node(1).id, now));
  };
  for (int i = 0; i < 20; ++i) end_after(1200ms);
  EXPECT_EQ(claims()[0].task_time, 1200ms);
  end_after(1h);
  EXPECT_LT(claims()[0].task_time, 1400ms) << "it stood still";
}

TEST_F(PlanClaimsTest, TheLastTasksCountMostAndThoseThatRunLongerCount) {
  sched::JobState& state = add(test::job(60));
  const auto bind = [&] { return *state.bind(0, node(1), 1, now); };
  const auto end = [&](const sched::Attempt& bound, sched::Duration wall, std::uint32_t speed) {
    const sched::Report report{.index = bound.index, .attempt = bound.attempt, .wall = wall};
    ASSERT_TRUE(state.end(report, node(1).id, now, speed));
  };
  for (int i = 0; i < 20; ++i) end(bind(), 1s, 1000);
  EXPECT_EQ(claims()[0].task_time, 1s);
  for (int i = 0; i < 20; ++i) end(bind(), 4s, 1000);
  EXPECT_GT(claims()[0].task_time, 3700ms) << "the mean of all is 2.5 s";
  // Half as long on a node that is twice as fast.
  for (int i = 0; i < 10; ++i) end(bind(), 2s, 2000);
  EXPECT_GT(claims()[0].task_time, 3700ms);
  const sched::Duration before = claims()[0].task_time;
  bind();
  now += before;
  EXPECT_LE(claims()[0].task_time, before);
  now += 36s;
  EXPECT_EQ(claims()[0].task_time / 1ms, (9 * before + 36s) / 9 / 1ms);
}

TEST_F(PlanClaimsTest, WhatRunsLongerThanItsUserSaidTakesLonger) {
  sched::Job wanted = test::job(2);
  wanted.groups[0].duration = 4s;
  sched::JobState& state = add(std::move(wanted));
  ASSERT_TRUE(state.bind(0, node(1), 1, now));
  now += 10s;
  EXPECT_EQ(claims()[0].task_time, 7s);
}

TEST_F(PlanClaimsTest, AJobOnHoldClaimsNothing) {
  sched::Job wanted = test::job(2);
  wanted.held = true;
  add(wanted);
  EXPECT_TRUE(claims().empty());
}

TEST_F(PlanClaimsTest, OnHoldAJobClaimsForWhatIsBound) {
  sched::Job on_hold = test::job(2);
  on_hold.held = true;
  add(on_hold);
  sched::JobState& runs = add(test::job(3));
  const sched::JobState& waits = add(test::job(1));
  ASSERT_TRUE(runs.bind(0, node(1), 1, now));
  runs.change({.held = true});
  ASSERT_EQ(claims().size(), 2u);
  EXPECT_EQ(claims()[0].job, runs.id()) << "ascending by number";
  EXPECT_EQ(claims()[0].left, 1u);
  EXPECT_EQ(claims()[1].job, waits.id());
}

// Two tasks of 3 CPUs and 10 s are 6 slots of 10 s; four tasks of one CPU and 1 s, of which one
// runs at a time, are one slot of 4 s.
TEST_F(PlanClaimsTest, GroupsAreAddedUpInSlots) {
  sched::Job wanted = test::job(2);
  wanted.groups[0].demand.cpu = 2500;
  wanted.groups[0].duration = 10s;
  wanted.groups.push_back(test::tasks(4));
  wanted.groups[1].duration = 1s;
  wanted.groups[1].at_once = 1;
  wanted.groups[1].priority = 90;
  add(wanted);
  EXPECT_EQ(claims()[0].left, 7u);
  EXPECT_EQ(claims()[0].held, 0u);
  EXPECT_EQ(claims()[0].priority, 90);
  EXPECT_EQ(claims()[0].task_time, sched::Duration(64s) / 7);
}

TEST_F(PlanClaimsTest, AStageThatIsToComeClaimsNothing) {
  sched::Job wanted = test::job(1);
  wanted.groups.push_back(test::tasks(4));
  wanted.groups[1].after = {0};
  sched::JobState& state = add(std::move(wanted));
  EXPECT_EQ(claims()[0].left, 1u);
  const auto first = state.bind(0, node(1), 1, now);
  ASSERT_TRUE(first);
  state.end({.index = first->index, .attempt = first->attempt}, node(1).id, now);
  EXPECT_EQ(claims()[0].left, 4u);
}

TEST_F(PlanClaimsTest, TheTableSaysWhenClaimsAreOthers) {
  const auto before = table.version();
  sched::JobState& state = add(test::job(1));
  EXPECT_NE(table.version(), before);
  const auto added = table.version();
  state.cancel_all();
  table.finish(state, now);
  EXPECT_NE(table.version(), added);
}

TEST_F(PlanClaimsTest, SaysHowManySlotsItsTasksHold) {
  sched::Job wanted = test::job(3);
  wanted.groups[0].demand.cpu = 2000;
  sched::JobState& state = add(wanted);
  ASSERT_TRUE(state.bind(0, node(1), 1, now));
  EXPECT_EQ(claims()[0].held, 2u);
}

TEST_F(PlanClaimsTest, SaysHowLongTheYoungestTaskHasRun) {
  sched::JobState& state = add(test::job(3));
  EXPECT_EQ(claims()[0].ran, 0s) << "none runs";
  ASSERT_TRUE(state.bind(0, node(1), 1, now));
  now += 7s;
  EXPECT_EQ(claims()[0].ran, 7s);
  ASSERT_TRUE(state.bind(0, node(1), 1, now));
  now += 2s;
  EXPECT_EQ(claims()[0].ran, 2s);
}

}  // namespace
}  // namespace dunlin::test
