// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/gangs.h"

#include <gmock/gmock.h>

#include "tests/unit/sched/frontend/launch/launch_stage.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A gang of six tasks, and room for four in each of two cells.
class GangsTest : public LaunchStage {
 protected:
  GangsTest() {
    tell(1, 4000);
    tell(2, 4000);
    gangs.seek(masters_turn(), master, job, prober);
  }
  static sched::JobState gang(std::uint32_t count, sched::Time now) {
    sched::TaskGroup group = tasks(count);
    group.gang = true;
    sched::Job made = job_of(group);
    made.id = {.home = node(99).id, .number = 1};
    return {made, now};
  }
  std::vector<sched::Gangs::Holder> hold(std::uint64_t at, std::uint16_t room) {
    return gangs.hold(
        masters_turn(), master, job, node(at), question_of(job, ++request, room), prober);
  }
  std::uint64_t asked_cell() { return parked().back().cell.value; }
  /// Nodes that were answered by nothing.
  std::size_t let_go() const {
    std::size_t count = 0;
    for (const sched::Tasks& answer : out.all<sched::Tasks>()) {
      EXPECT_TRUE(answer.tasks.empty());
      EXPECT_EQ(answer.served_to, 0u) << "its reservations are of use yet";
      ++count;
    }
    return count;
  }

  sched::Prober prober{params, node(99)};
  sched::Gangs gangs{federation};
  sched::JobState job{gang(6, now)};
  std::uint32_t request = 0;
};

TEST_F(GangsTest, AsksCellAfterCellAndAnswersAllAtOnce) {
  ASSERT_THAT(parked(), SizeIs(1));
  EXPECT_EQ(asked_cell(), 1u) << "in the order of their ids";
  const std::uint32_t first = parked()[0].reserve.tasks_max;
  EXPECT_GE(first, 2u);
  EXPECT_LE(first, 4u);
  EXPECT_THAT(hold(11, static_cast<std::uint16_t>(first)), IsEmpty());
  EXPECT_EQ(asked_cell(), 2u);
  EXPECT_EQ(parked()[1].reserve.tasks_max, 0u) << "the first cell offers no more";
  EXPECT_EQ(parked()[2].reserve.tasks_max, 6 - first);
  const auto holders = hold(21, static_cast<std::uint16_t>(6 - first));
  EXPECT_THAT(holders, SizeIs(2));
  EXPECT_EQ(let_go(), 0u);
  EXPECT_EQ(gangs.deadline(), sched::kNever);
}

TEST_F(GangsTest, AQuestionThatComesTwiceHoldsOnce) {
  const auto asked = question_of(job, 1, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(gangs.hold(masters_turn(), master, job, node(11), asked, prober), IsEmpty());
  }
  EXPECT_EQ(let_go(), 0u);
}

TEST_F(GangsTest, WithoutRoomForAllNothingIsHeld) {
  sched::Gangs others{federation};
  out.clear();
  others.seek(masters_turn(), master, gang(9, now), prober);
  EXPECT_THAT(parked(), IsEmpty());
  EXPECT_EQ(others.deadline(), sched::kNever);
}

TEST_F(GangsTest, LetsGoInTheEndAndTriesAgainLater) {
  hold(11, 2);
  EXPECT_EQ(gangs.deadline(), now + federation.launch_timeout * federation.launch_tries);
  now = gangs.deadline();
  gangs.wake(masters_turn(), master);
  EXPECT_EQ(let_go(), 1u);
  EXPECT_EQ(parked().back().reserve.tasks_max, 0u);
  out.clear();
  gangs.seek(masters_turn(), master, job, prober);
  EXPECT_THAT(parked(), IsEmpty());
  EXPECT_THAT(hold(11, 4), IsEmpty());
  EXPECT_EQ(let_go(), 1u) << "that gang waits for nothing now";
  now += federation.launch_timeout * federation.launch_tries;
  out.clear();
  gangs.seek(masters_turn(), master, job, prober);
  EXPECT_THAT(parked(), SizeIs(1));
}

TEST_F(GangsTest, LetsGoWhenItsTasksWaitNoMore) {
  hold(11, 2);
  job.cancel(0);
  gangs.drop_idle(masters_turn(), master, job);
  EXPECT_EQ(let_go(), 1u);
  gangs.forget(masters_turn(), master, job);
  EXPECT_EQ(let_go(), 1u);
}

// Others have the room: a gang whose class lacks its share holds what falls free, before them.
TEST_F(GangsTest, GathersWhereItsClassLacksWhatItTakes) {
  sched::federation::GlobalMaster full{federation, sched::PeerId{99}, 1};
  sched::CellView view{.cell = {1}, .epoch = 1, .version = ++version, .last = true};
  view.rows = {sched::federation::rows::told(11, 99, 1000, version)};
  view.kinds = {sched::federation::rows::kind({})};
  view.capacity = {.cpu = 8000, .memory = 64'000, .custom = {}};
  full.receive(masters_turn(), node(11), view);
  out.sent.clear();
  sched::Gangs others{federation};
  others.seek(masters_turn(), full, job, prober, [](auto, auto) { return false; });
  EXPECT_THAT(parked(), IsEmpty()) << "its class has its share";
  now += federation.launch_timeout * 2;
  std::uint32_t asked = 0;
  others.seek(masters_turn(), full, job, prober, [&](std::uint16_t, std::uint32_t tasks) {
    asked = tasks;
    return true;
  });
  EXPECT_EQ(asked, 6u);
  ASSERT_THAT(parked(), SizeIs(1));
  EXPECT_EQ(parked()[0].reserve.tasks_max, 6u);
  EXPECT_EQ(parked()[0].reserve.work, sched::Duration{0}) << "it is offered room first";
}

}  // namespace
}  // namespace dunlin::test
