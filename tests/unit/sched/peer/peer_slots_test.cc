// SPDX-License-Identifier: MIT
#include <cstdint>

#include "sched/peer_view.h"
#include "sched/plan/slot_width.h"
#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// What the slots of a node do, from what its worker holds.
namespace dunlin::test {
namespace {

class PeerSlots : public Solo {
 protected:
  sched::SlotCounts slots() const {
    return sched::slot_counts(&worker, LooseParts::node_of(4000).total);
  }
  static sched::Reserve group(std::uint32_t job, std::uint32_t cpu) {
    sched::Reserve group = reserve_of(job);
    group.demand.cpu = cpu;
    return group;
  }
  void start(std::uint32_t job, std::uint32_t cpu) {
    const sched::Reserve group = this->group(job, cpu);
    sched::Tasks tasks{.job = group.job};
    tasks.tasks = {{0, 1, {}}};
    sched::Turn one = turn();
    EXPECT_TRUE(worker.for_masters().start(one, group, tasks));
  }

  sched::Worker worker{{}, LooseParts::node_of(4000)};
};

TEST_F(PeerSlots, AllOfANodeWithoutTasksAreAvailable) {
  EXPECT_EQ(slots(), (sched::SlotCounts{.all = 4}));
  EXPECT_EQ(sched::slot_counts(nullptr, {.cpu = 4000}), slots());
  EXPECT_EQ(sched::available(slots()), 4u);
}

TEST_F(PeerSlots, TasksAreBusyAndQuestionsOccupied) {
  start(1, 1500);
  sched::Reserve asking = group(2, 1000);
  asking.settled = true;
  sched::Turn one = turn();
  worker.on_message(one, around(), node(99), asking);
  ASSERT_EQ(worker.asking().size(), 1u);
  EXPECT_EQ(slots(), (sched::SlotCounts{.all = 4, .occupied = 1, .busy = 2}));
  EXPECT_EQ(sched::available(slots()), 1u);
}

TEST_F(PeerSlots, OfANodeThatDrainsWhatRunsIsBusyAndTheRestDown) {
  start(1, 1000);
  sched::Turn one = turn();
  worker.drain(one, around(), true);
  EXPECT_EQ(slots(), (sched::SlotCounts{.all = 4, .busy = 1, .down = 3}));
}

TEST_F(PeerSlots, ManySmallTasksTakeNoMoreSlotsThanThereAre) {
  for (std::uint32_t job = 1; job <= 8; ++job) start(job, 500);
  EXPECT_EQ(slots(), (sched::SlotCounts{.all = 4, .busy = 4}));
}

}  // namespace
}  // namespace dunlin::test
