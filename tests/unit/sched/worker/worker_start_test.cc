// SPDX-License-Identifier: MIT
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
    return worker.start(one, group, tasks);
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

TEST_F(WorkerStart, DeclinesWhileItDrains) {
  sched::Turn one = turn();
  worker.drain(one, around(), true);
  EXPECT_FALSE(start(0));
  EXPECT_EQ(worker.slots().free_for_all().cpu, 0u);
}

// Its class wanted nothing until then: once that ended the program.
TEST_F(WorkerStart, StartsTasksOfAClassThatWaitsNowhere) {
  const std::pair<sched::ClassId, sched::Tickets> tickets[] = {{1, 2000}, {2, 2000}};
  worker.set_tickets(now, tickets);
  EXPECT_TRUE(start(0, 1000, 1));
  EXPECT_TRUE(start(1, 1000, 2));
  EXPECT_EQ(worker.running().size(), 2u);
}

}  // namespace
}  // namespace dunlin::test
