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

/// Gangs of six tasks where others have the room, and their class lacks as much.
class GatheringGangs : public GangsTest {
 protected:
  /// There are eight CPUs, one of which is free.
  void tell_full() {
    sched::CellView view{.cell = {1}, .epoch = 1, .version = ++version, .last = true};
    view.rows = {sched::federation::rows::told(11, 99, 1000, version)};
    view.kinds = {sched::federation::rows::kind({})};
    view.capacity = {.cpu = 8000, .memory = 64'000, .custom = {}};
    full.receive(masters_turn(), node(11), view);
  }
  void seek(const sched::JobState& of, sched::Lack lack = sched::Lack::all) {
    tell_full();
    out.clear();
    others.seek(
        masters_turn(), full, of, prober,
        [&](std::uint16_t, std::uint32_t tasks) {
          asked = tasks;
          return lack;
        },
        [&](std::uint16_t) { return share; });
  }
  std::vector<sched::Gangs::Holder> ask(
      const sched::JobState& of, std::uint64_t at, std::uint32_t number, std::uint16_t room = 3) {
    out.clear();
    return others.hold(masters_turn(), full, of, node(at), question_of(of, number, room), prober);
  }
  /// It holds room at node 11 for as long as it may; returns how long that is.
  sched::Duration hold_in_vain(std::uint32_t number) {
    const sched::Time begun = now;
    seek(job);
    EXPECT_THAT(ask(job, 11, number), IsEmpty());
    EXPECT_TRUE(out.only<sched::Tasks>().gathers) << "the worker keeps its slots";
    const sched::Time until = others.deadline();
    for (now += 1s; now < until; now += 1s) {
      EXPECT_THAT(ask(job, 11, number), IsEmpty());
      EXPECT_TRUE(out.only<sched::Tasks>().gathers) << "and again when it asks again";
    }
    now = until;
    out.clear();
    others.wake(masters_turn(), full);
    EXPECT_FALSE(out.only<sched::Tasks>().gathers) << "they are for others";
    EXPECT_FALSE(others.gathers(job, 0));
    return until - begun;
  }
  static sched::JobState later_one(std::uint32_t number, sched::Time now) {
    sched::TaskGroup group = tasks(6);
    group.gang = true;
    sched::Job made = job_of(group);
    made.id = {.home = node(99).id, .number = number};
    return {made, now};
  }
  sched::Duration once() const { return federation.launch_timeout * federation.launch_tries; }

  sched::federation::GlobalMaster full{federation, sched::PeerId{99}, 1};
  sched::Gangs others{federation};
  std::uint32_t asked = 0;
  std::uint32_t share = 6;  ///< Tasks in the whole share of the class.
};

// It holds what falls free, before others.
TEST_F(GatheringGangs, GathersWhereItsClassLacksWhatItTakes) {
  seek(job, sched::Lack::none);
  EXPECT_THAT(parked(), IsEmpty()) << "its class has its share";
  EXPECT_FALSE(others.gathers(job, 0));
  now += federation.launch_timeout * 2;
  seek(job);
  EXPECT_EQ(asked, 6u);
  ASSERT_THAT(parked(), SizeIs(1));
  EXPECT_EQ(parked()[0].reserve.tasks_max, 6u);
  EXPECT_EQ(parked()[0].reserve.work, sched::Duration{0}) << "it is offered room first";
  EXPECT_TRUE(others.gathers(job, 0)) << "and its reservations are to be out";
  EXPECT_THAT(ask(job, 11, 1), IsEmpty());
  const sched::Tasks kept = out.only<sched::Tasks>();
  EXPECT_TRUE(kept.gathers);
  EXPECT_EQ(kept.remaining, 6u) << "the reservation waits on";
  EXPECT_THAT(ask(job, 21, 1), SizeIs(2)) << "from whatever cell it comes";
  EXPECT_FALSE(others.gathers(job, 0));
}

// Tasks of others may run for long, and end at different times.
TEST_F(GatheringGangs, HoldForTwiceAsLongEachTimeAndRestBetween) {
  sched::Duration before{0};
  for (std::uint32_t round = 0; round < 4; ++round) {
    const sched::Duration held = hold_in_vain(round + 1);
    if (round > 0) {
      EXPECT_EQ(held, 2 * before);
    }
    before = held;
    now += held / 2 - 1ms;
    seek(job);
    EXPECT_FALSE(others.gathers(job, 0)) << "others have the slots for a while";
    now += held / 2 + 1ms + federation.launch_timeout;
  }
  for (std::uint32_t round = 4; round < 9; ++round) {
    before = hold_in_vain(round + 1);
    now += before + federation.launch_timeout;
  }
  EXPECT_EQ(before, 10min) << "and no longer";
}

// It could have so much by luck only: more than its share never waits for it.
TEST_F(GatheringGangs, OneBeyondTheShareOfItsClassHoldsForAsLongAsAnyGang) {
  for (std::uint32_t round = 0; round < 3; ++round) {
    seek(job, sched::Lack::part);
    EXPECT_TRUE(others.gathers(job, 0));
    EXPECT_EQ(others.deadline(), now + once());
    now = others.deadline();
    others.wake(masters_turn(), full);
    EXPECT_FALSE(others.gathers(job, 0));
    now += once();
  }
}

TEST_F(GatheringGangs, CountOnNoWorkerThatAsksNoMore) {
  seek(job);
  ask(job, 11, 8);
  now += 5s;
  EXPECT_THAT(ask(job, 12, 8), IsEmpty()) << "node 11 was silent";
  EXPECT_EQ(parked().back().reserve.tasks_max, 3u) << "more is asked for";
  EXPECT_THAT(ask(job, 13, 8), SizeIs(2));
}

// Else two of a class might hold a half each, and wait for each other.
TEST_F(GatheringGangs, OfAClassOneGathersAtATimeTheEldestFirst) {
  const sched::JobState second = later_one(2, now);
  const sched::JobState third = later_one(3, now);
  seek(job);
  seek(third);
  seek(second);
  EXPECT_TRUE(others.gathers(job, 0));
  EXPECT_FALSE(others.gathers(second, 0) || others.gathers(third, 0));
  EXPECT_THAT(ask(job, 11, 1, 6), SizeIs(1));
  seek(third);
  EXPECT_FALSE(others.gathers(third, 0)) << "another one came before";
  seek(second);
  EXPECT_TRUE(others.gathers(second, 0)) << "and need not wait for its next look";
  others.forget(masters_turn(), full, second);
  seek(third);
  EXPECT_TRUE(others.gathers(third, 0));
}

// One after the other would leave a good part of a class's share to others.
TEST_F(GatheringGangs, AFewOfAClassGatherTogetherWhereItsShareHasRoomForAll) {
  share = 17;
  std::vector<sched::JobState> later;
  for (std::uint32_t number = 2; number < 5; ++number) later.push_back(later_one(number, now));
  seek(job);
  seek(later[0]);
  seek(later[1]);
  EXPECT_TRUE(others.gathers(job, 0) && others.gathers(later[0], 0));
  EXPECT_FALSE(others.gathers(later[1], 0)) << "18 are more than its share";
  share = 100;
  now += federation.launch_timeout;
  seek(later[2]);
  EXPECT_FALSE(others.gathers(later[2], 0)) << "another one came before";
  seek(later[1]);
  now += federation.launch_timeout;
  seek(later[2]);
  EXPECT_TRUE(others.gathers(later[1], 0));
  EXPECT_FALSE(others.gathers(later[2], 0)) << "what many hold stands idle for long";
  EXPECT_THAT(ask(job, 11, 1, 6), SizeIs(1));
  seek(later[2]);
  EXPECT_TRUE(others.gathers(later[2], 0));
}

// A slot that one holds may be the only one that would do for the other.
TEST_F(GatheringGangs, ThoseThatAreNotOfOneSizeOrChooseTheirNodesGatherAlone) {
  share = 100;
  const auto with = [&](std::uint32_t number, auto&& change) {
    sched::TaskGroup group = tasks(6);
    group.gang = true;
    change(group);
    sched::Job made = job_of(group);
    made.id = {.home = node(99).id, .number = number};
    return sched::JobState{made, now};
  };
  const auto small = with(2, [](sched::TaskGroup& group) { group.demand.cpu = 500; });
  const auto choosy = with(3, [](sched::TaskGroup& group) {
    group.constraints = {{.key = "os", .comparison = sched::Comparison::equal, .value = "linux"}};
  });
  seek(job);
  for (const sched::JobState* each : {&small, &choosy}) {
    seek(*each);
    EXPECT_FALSE(others.gathers(*each, 0)) << each->id().number;
    others.forget(masters_turn(), full, *each);
  }
  others.forget(masters_turn(), full, job);
  seek(choosy);
  ASSERT_TRUE(others.gathers(choosy, 0));
  seek(job);
  EXPECT_FALSE(others.gathers(job, 0));
}

TEST_F(GatheringGangs, OfTwoClassesEachHasOne) {
  sched::TaskGroup group = tasks(2);
  group.gang = true;
  sched::Job made = job_of(group);
  made.id = {.home = node(99).id, .number = 2};
  made.service_class = "gold";
  const sched::JobState gold{made, now};
  seek(job);
  seek(gold);
  EXPECT_TRUE(others.gathers(job, 0) && others.gathers(gold, 0));
}

}  // namespace
}  // namespace dunlin::test
