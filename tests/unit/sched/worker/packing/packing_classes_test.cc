// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

#include "sched/worker/dispatch/class_dispatcher.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// Tickets and packing: which class gets a slot is decided first, and by tickets alone.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;
using sched::Reserve;
using sched::Tickets;

/// A node of four CPUs and 8 GiB that packs. Classes 1 and 2 have half of it each.
class PackingClassesTest : public Solo {
 protected:
  explicit PackingClassesTest(double srtf_weight = 1) : parts(4000, tetris(srtf_weight)) {
    tally.set_tickets(now, std::vector<std::pair<ClassId, Tickets>>{{1, 2000}, {2, 2000}});
  }
  static sched::WorkerParams tetris(double srtf_weight) {
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::tetris;
    params.overtake = 5s;
    params.srtf_weight = srtf_weight;
    return params;
  }
  void wait(ClassId class_id,
      std::uint32_t number,
      std::uint32_t cpu,
      std::uint32_t memory,
      std::uint16_t tasks = 1) {
    Reserve reserve = reserve_of(number);
    reserve.class_id = class_id;
    reserve.demand = {.cpu = cpu, .memory = memory, .custom = {}};
    reserve.tasks_max = tasks;
    reserve.work = tasks * reserve.task_time;
    parts.wait(now, reserve);
  }
  std::map<std::uint32_t, std::uint16_t> dispatched() {
    out.clear();
    auto now_turn = turn();
    dispatcher.dispatch(now_turn);
    std::map<std::uint32_t, std::uint16_t> rooms;
    for (const auto& asked : out.all<sched::GetTask>()) rooms[asked.job.number] = asked.room;
    return rooms;
  }
  std::uint32_t chosen() const {
    const auto i = dispatcher.choose(now);
    return i ? parts.queue.waiting()[*i].reserve.job.number : 0;
  }

  LooseParts parts;
  sched::ClassTally tally{now, parts.all};
  sched::ClassDispatcher dispatcher{parts.all, tally};
};

/// The same, but short jobs are not preferred.
class PackingAloneTest : public PackingClassesTest {
 protected:
  PackingAloneTest() : PackingClassesTest(0) {}
};

TEST_F(PackingClassesTest, TicketsStayExact) {
  wait(1, 1, 1000, 100, 64);
  wait(2, 2, 1000, 2000, 64);  // It packs better, and is of no use to the other class for that.
  EXPECT_EQ(dispatched(), (std::map<std::uint32_t, std::uint16_t>{{1, 2}, {2, 2}}));
}

TEST_F(PackingClassesTest, WithinAClassShortJobsGoFirst) {
  wait(1, 1, 1000, 1024);
  wait(1, 2, 500, 4096);
  EXPECT_EQ(chosen(), 1u);
}

TEST_F(PackingAloneTest, WithinAClassTheBestPackedTaskGoesFirst) {
  wait(1, 1, 1000, 1024);
  wait(1, 2, 500, 4096);
  EXPECT_EQ(chosen(), 2u);
}

TEST_F(PackingAloneTest, AClassPacksOneTaskAtATime) {
  wait(1, 1, 1000, 3000, 64);
  wait(1, 2, 1000, 100, 64);
  const auto rooms = dispatched();
  EXPECT_EQ(rooms.at(1), 2u) << "memory has room for two";
  EXPECT_EQ(rooms.at(2), 2u);
}

TEST_F(PackingClassesTest, RoomIsKeptOfWhatTheClassThatIsDueLacks) {
  Reserve others = reserve_of(9);
  others.class_id = 2;
  others.demand = {.cpu = 1000, .memory = 0, .custom = {}};
  parts.slots.hold(now, footprint(others));
  wait(1, 1, 4000, 1);
  wait(2, 2, 1000, 1);
  wait(2, 3, 0, 1, 64);
  now += 2 * parts.all.moment(now).mean_task_time;
  EXPECT_EQ(chosen(), 2u);
  now += 1ms;
  EXPECT_EQ(chosen(), 3u) << "CPUs are kept";
}

TEST_F(PackingClassesTest, AJobThatIsDueIsAskedASecondTime) {
  Reserve others = reserve_of(9);
  others.class_id = 2;
  parts.slots.hold(now, footprint(others), 3);
  wait(1, 1, 1000, 1, 64);
  EXPECT_EQ(dispatched().size(), 1u);
  parts.slots.release(now, footprint(others));
  EXPECT_EQ(dispatched().size(), 1u);
  EXPECT_EQ(parts.requests.size(), 2u);
}

}  // namespace
}  // namespace dunlin::test
