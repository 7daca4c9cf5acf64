// SPDX-License-Identifier: MIT
#include "sched/worker/ports/master_starts.h"

#include <utility>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// Starts of local masters: no question is asked, and the same tests hold as for reservations.
namespace dunlin::test {
namespace {

class WorkerStart : public Solo {
 protected:
  bool start(std::uint32_t index, std::uint32_t cpu = 1000, sched::ClassId class_id = 0) {
    sched::Reserve group = reserve_of(1);
    group.demand.cpu = cpu;
    group.class_id = class_id;
    sched::Tasks tasks{.job = group.job};
    tasks.tasks = {{index, 1, {}}};
    tasks.task_time = group.task_time;
    sched::Turn one = turn();
    return worker.for_masters().start(one, group, tasks);
  }
  /// Room is offered to the group of that job.
  bool ask(std::uint32_t job, std::uint16_t tasks, sched::ClassId class_id = 0) {
    sched::Reserve group = reserve_of(job);
    group.demand.cpu = 1000;
    group.tasks_max = tasks;
    group.class_id = class_id;
    sched::Turn one = turn();
    return worker.for_masters().ask(one, group);
  }
  /// The question is answered by so many tasks, and more are left.
  void answer(const sched::GetTask& asked, std::uint32_t tasks, std::uint32_t left) {
    std::vector<std::uint32_t> indices(tasks);
    for (std::uint32_t i = 0; i < tasks; ++i) indices[i] = i;
    sched::Tasks given = answer_to(asked, indices);
    given.remaining = left;
    sched::Turn one = turn();
    worker.on_message(one, node(99), given);
  }
  /// A reservation of another job comes.
  void reserve(std::uint32_t job, std::uint32_t cpu) {
    sched::Reserve other = reserve_of(job);
    other.demand.cpu = cpu;
    other.settled = true;
    sched::Turn one = turn();
    worker.on_message(one, around(), node(99), other);
  }

  sched::Worker worker{{}, LooseParts::node_of(4000)};
};

TEST_F(WorkerStart, StartsWhatFitsWithoutAQuestion) {
  EXPECT_TRUE(start(0, 3000));
  EXPECT_FALSE(start(1, 3000)) << "there is no room";
  EXPECT_TRUE(start(1, 1000));
  EXPECT_EQ(worker.running().size(), 2u);
  EXPECT_TRUE(out.all<sched::GetTask>().empty());
}

// What a local master says counts as what is asked for.
TEST_F(WorkerStart, StartsAndAsksForNoMoreOfOneUserThanItMayHave) {
  const auto small = [](std::uint32_t job, std::uint64_t user) {
    sched::Reserve group = reserve_of(job);
    group.demand = {.cpu = 1, .memory = 0, .custom = {}};
    group.user = user;
    group.tasks_max = 64;
    return group;
  };
  const auto start_one = [&](const sched::Reserve& group, std::uint32_t index) {
    sched::Tasks tasks{.job = group.job};
    tasks.tasks = {{index, 1, {}}};
    sched::Turn one = turn();
    return worker.for_masters().start(one, group, tasks);
  };
  EXPECT_TRUE(start_one(small(1, 8), 0)) << "of another user, which is beside it from then on";
  for (std::uint32_t index = 0; index < 182; ++index) {
    ASSERT_TRUE(start_one(small(2, 7), index));
  }
  sched::Turn one = turn();
  EXPECT_TRUE(worker.for_masters().ask(one, small(3, 7)));
  EXPECT_EQ(out.only<sched::GetTask>().room, 10) << "of 192";
  EXPECT_TRUE(worker.for_masters().is_crowded(small(2, 7)));
  EXPECT_FALSE(start_one(small(2, 7), 200));
  EXPECT_TRUE(start_one(small(1, 8), 1));
}

TEST_F(WorkerStart, StartsAnAttemptOnce) {
  EXPECT_TRUE(start(0));
  EXPECT_TRUE(start(0)) << "it runs";
  EXPECT_EQ(worker.running().size(), 1u);
}

TEST_F(WorkerStart, DeclinesWhatAnotherReservationIsDueBefore) {
  // The first one asks, and holds all slots meanwhile.
  reserve(2, 4000);
  reserve(3, 4000);
  EXPECT_FALSE(start(0));
}

TEST_F(WorkerStart, SaysWhatRunsOfWhatItIsAskedAfter) {
  ASSERT_TRUE(start(0));
  sched::Turn one = turn();
  worker.on_message(
      one, node(99), sched::AskAfter{.job = reserve_of(1).job, .tasks = {{0, 1}, {1, 1}}});
  EXPECT_EQ(out.only<sched::Renew>().tasks, std::vector<sched::Attempt>({{0, 1}}));
  EXPECT_EQ(out.only<sched::Refused>().tasks, std::vector<sched::Attempt>({{1, 1}}));
}

TEST_F(WorkerStart, SendsAReportAtOnceThatItIsAskedAfter) {
  ASSERT_TRUE(start(0));
  sched::Turn one = turn();
  sched::Exit exit;
  exit.job = reserve_of(1).job;
  exit.report = {.index = 0, .attempt = 1};
  const sched::Exit exits[] = {exit};
  worker.on_exits(one, around(), exits);
  now += std::chrono::seconds(1);
  sched::Turn two = turn();
  worker.wake(two);  // It is sent, and lost.
  const std::size_t sent = out.all<sched::Done>().size();
  sched::Turn three = turn();
  worker.on_message(three, node(99), sched::AskAfter{.job = exit.job, .tasks = {{0, 1}}});
  worker.wake(three);
  EXPECT_EQ(out.all<sched::Done>().size(), sent + 1);
  EXPECT_TRUE(out.all<sched::Refused>().empty());
}

TEST_F(WorkerStart, DeclinesWhileItDrains) {
  sched::Turn one = turn();
  worker.drain(one, around(), true);
  EXPECT_FALSE(start(0));
  EXPECT_EQ(worker.slots().free_for_all().cpu, 0u);
}

TEST_F(WorkerStart, AsksForAsManyTasksAsAreOffered) {
  EXPECT_TRUE(ask(1, 3));
  EXPECT_EQ(out.only<sched::GetTask>().room, 3);
  EXPECT_EQ(worker.slots().free().cpu, 1000u) << "their slots are held";
  EXPECT_TRUE(ask(2, 3)) << "it asks for what fits";
  EXPECT_EQ(out.all<sched::GetTask>().back().room, 1);
  EXPECT_FALSE(ask(3, 1));
}

// It waits at the local master: the node goes on with nothing of it, whatever is left.
TEST_F(WorkerStart, WhatIsOfferedIsAskedForOnce) {
  EXPECT_TRUE(ask(1, 1));
  answer(out.only<sched::GetTask>(), 1, 100);
  EXPECT_EQ(worker.running().size(), 1u);
  EXPECT_TRUE(worker.queue().empty());
  EXPECT_EQ(out.all<sched::GetTask>().size(), 1u);
}

TEST_F(WorkerStart, AsksForNothingThatOthersAreDueBefore) {
  reserve(2, 4000);
  reserve(3, 4000);
  EXPECT_FALSE(ask(1, 1));
}

TEST_F(WorkerStart, AsksNobodyOnceNothingIsLeft) {
  sched::Turn one = turn();
  worker.on_message(one, node(99), sched::Cancel{reserve_of(1).job, 0, 1000});
  EXPECT_TRUE(ask(1, 1)) << "the offer is settled";
  EXPECT_TRUE(out.all<sched::GetTask>().empty());
  EXPECT_EQ(worker.slots().free().cpu, 4000u);
}

TEST_F(WorkerStart, AsksForTasksOfClasses) {
  const std::pair<sched::ClassId, sched::Tickets> tickets[] = {{1, 2000}, {2, 2000}};
  worker.classes().set_tickets(now, tickets);
  EXPECT_TRUE(ask(1, 2, 1));
  EXPECT_TRUE(ask(2, 2, 2));
  EXPECT_EQ(out.all<sched::GetTask>().size(), 2u);
}

// Its class wanted nothing until then: once that ended the program.
TEST_F(WorkerStart, StartsTasksOfAClassThatWaitsNowhere) {
  const std::pair<sched::ClassId, sched::Tickets> tickets[] = {{1, 2000}, {2, 2000}};
  worker.classes().set_tickets(now, tickets);
  EXPECT_TRUE(start(0, 1000, 1));
  EXPECT_TRUE(start(1, 1000, 2));
  EXPECT_EQ(worker.running().size(), 2u);
}

}  // namespace
}  // namespace dunlin::test
