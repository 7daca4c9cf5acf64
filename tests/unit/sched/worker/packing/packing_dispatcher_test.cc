// SPDX-License-Identifier: MIT
#include "sched/worker/packing/packing_dispatcher.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "sched/resources.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Reserve;
using sched::Resources;
using sched::Time;

sched::WorkerParams tetris() {
  sched::WorkerParams params;
  params.discipline = sched::DisciplineName::tetris;
  params.overtake = 5s;
  return params;
}

/// A node of 4 CPUs, 8 GiB and 100 MiB/s from the network.
class PackingDispatcherTest : public Solo {
 protected:
  static constexpr std::uint32_t kMebibyte = 1024;

  static Reserve reservation(std::uint32_t job, const Resources& demand, std::uint16_t tasks = 1) {
    Reserve reserve = reserve_of(job);
    reserve.demand = demand;
    reserve.tasks_max = tasks;
    reserve.work = tasks * reserve.task_time;
    return reserve;
  }
  static Resources demand(std::uint32_t cpu, std::uint32_t memory, std::uint32_t net_in = 0) {
    return {.cpu = cpu, .memory = memory, .custom = {}, .net_in = net_in};
  }
  void wait(const Reserve& reserve, sched::Duration submitted = 0s) {
    parts.wait(Time{submitted}, reserve);
  }
  /// Tasks asked for, by job.
  std::map<std::uint32_t, std::uint16_t> dispatched() {
    out.clear();
    auto now_turn = turn();
    dispatcher.dispatch(now_turn);
    std::map<std::uint32_t, std::uint16_t> rooms;
    for (const auto& asked : out.all<sched::GetTask>()) {
      EXPECT_FALSE(rooms.contains(asked.job.number)) << "one question for each";
      rooms[asked.job.number] = asked.room;
    }
    return rooms;
  }
  std::uint32_t chosen(sched::Duration at) {
    const auto i = dispatcher.choose(Time{at});
    return i ? parts.queue[*i].reserve.job.number : 0;
  }

  LooseParts parts{
      Resources{.cpu = 4000, .memory = 8192, .custom = {}, .net_in = 100 * kMebibyte}, tetris()};
  sched::PackingDispatcher dispatcher{parts.all};
};

// Were it to take all the room there is, the node would hold four tasks that need the network, or
// what it has of CPUs would be gone before these come.
TEST_F(PackingDispatcherTest, TakesOneTaskAtATimeOfWhatGoesTogether) {
  wait(reservation(1, demand(1000, 512), 64));
  wait(reservation(2, demand(500, 512, 50 * kMebibyte), 64));
  const auto rooms = dispatched();
  EXPECT_EQ(rooms.at(2), 2u) << "the network has room for two";
  EXPECT_EQ(rooms.at(1), 3u);
}

TEST_F(PackingDispatcherTest, ARateThatIsNotDeclaredIsNoLimit) {
  Resources wanted = demand(1000, 0);
  wanted.disk_write = sched::kRateMax;
  wait(reservation(1, wanted, 64));
  EXPECT_EQ(dispatched().at(1), 4u);
}

TEST_F(PackingDispatcherTest, AsksForNoMoreThanThereIs) {
  wait(reservation(1, demand(100, 1), 3));
  EXPECT_EQ(dispatched().at(1), 3u);
  EXPECT_TRUE(dispatched().empty());
}

TEST_F(PackingDispatcherTest, ShortJobsGoFirst) {
  wait(reservation(1, demand(4000, 100), 64), 0s);
  wait(reservation(2, demand(4000, 100), 1), 1s);
  EXPECT_EQ(chosen(2s), 2u);
  EXPECT_EQ(dispatcher.ahead_of(0, Time{2s}), 1u);
}

TEST_F(PackingDispatcherTest, PriorityMakesAJobSeemShorter) {
  Reserve urgent = reservation(1, demand(4000, 100), 8);
  urgent.priority = 70;  // 2^-10 of it.
  wait(urgent, 0s);
  wait(reservation(2, demand(4000, 100), 1), 0s);
  EXPECT_EQ(chosen(2s), 1u);
}

// Frontends that tell no extent: what a job holds here stands for what it holds.
TEST_F(PackingDispatcherTest, TheJobThatHoldsMostHereLetsOthersGoFirst) {
  parts.run(turn(), reservation(1, demand(2000, 100)));
  Reserve again = reservation(1, demand(2000, 100), 1);
  again.probe = 7;
  wait(again, 0s);
  wait(reservation(2, demand(100, 100), 64), 1s);
  wait(reservation(3, demand(100, 100), 64), 1s);
  wait(reservation(4, demand(100, 100), 64), 1s);
  EXPECT_NE(chosen(2s), 1u) << "three of four compete";
  parts.params.fairness = 0;
  LooseParts unfair{parts.node.total, parts.params};
  unfair.wait(Time{}, again);
  unfair.wait(Time{1s}, reservation(2, demand(100, 100), 64));
  const sched::PackingDispatcher plain{unfair.all};
  EXPECT_EQ(plain.choose(Time{2s}), 0u);
}

TEST_F(PackingDispatcherTest, AExtentSaysWhatAJobHoldsElsewhere) {
  Reserve rich = reservation(1, demand(1000, 100), 1);
  rich.extent.resize(1);
  rich.extent[0].work.cpu = 1000 * 1000;
  rich.extent[0].held.cpu = 400'000;
  Reserve poor = reservation(2, demand(1000, 100), 1);
  poor.extent.resize(1);
  poor.extent[0].work.cpu = 1000 * 1000 * 1000;
  wait(rich, 0s);
  wait(poor, 1s);
  parts.params.fairness = 0.5;
  LooseParts fair{parts.node.total, parts.params};
  fair.wait(Time{}, rich);
  fair.wait(Time{1s}, poor);
  EXPECT_EQ(chosen(2s), 1u) << "a quarter of two jobs is none";
  const sched::PackingDispatcher half{fair.all};
  EXPECT_EQ(half.choose(Time{2s}), 1u);
}

TEST_F(PackingDispatcherTest, TheLastTasksOfAGroupHurry) {
  Reserve last = reservation(2, demand(100, 1), 1);
  last.extent.resize(1);
  last.extent[0].work.cpu = std::uint64_t{1} << 50;
  wait(reservation(1, demand(4000, 4096), 1), 0s);
  last.extent[0].finished = 899;
  wait(last, 1s);
  EXPECT_EQ(chosen(2s), 1u);
  parts.queue[1].reserve.extent[0].finished = 900;
  EXPECT_EQ(chosen(2s), 2u);
}

// The scarce resource alone decides, if the power is high.
TEST_F(PackingDispatcherTest, ScarcityCountsWhatWaitsHere) {
  const Reserve cpus = reservation(1, demand(3000, 1024), 1);
  const Reserve network = reservation(2, demand(100, 1024, 60 * kMebibyte), 1);
  Reserve backlog = reservation(3, demand(10, 1, 100 * kMebibyte), 64);
  backlog.work = 1000s;
  const auto first_at = [&](double scarcity) {
    sched::WorkerParams params = tetris();
    params.scarcity = scarcity;
    params.srtf_weight = 0;
    LooseParts other{parts.node.total, params};
    for (const Reserve& each : {cpus, network}) other.wait(Time{}, each);
    other.wait(Time{}, backlog);
    other.slots.hold(now, footprint(reservation(9, demand(0, 0, 40 * kMebibyte))));
    const sched::PackingDispatcher packs{other.all};
    return other.queue[*packs.choose(Time{1s})].reserve.job.number;
  };
  EXPECT_EQ(first_at(0), 1u);
  EXPECT_EQ(first_at(8), 2u);
}

// After two mean task times, room is kept of what is lacking only.
TEST_F(PackingDispatcherTest, RoomIsKeptOfWhatIsLacking) {
  sched::WorkerParams params = tetris();
  params.srtf_weight = 0;
  LooseParts packing{parts.node.total, params};
  packing.slots.hold(now, footprint(reservation(9, demand(1000, 0, 60 * kMebibyte))));
  packing.wait(Time{}, reservation(1, demand(1000, 1, 80 * kMebibyte), 1));
  Reserve more_network = reservation(2, demand(100, 1, 10 * kMebibyte), 64);
  more_network.work = 1000s;
  Reserve cpus_alone = reservation(3, demand(100, 1), 1);
  cpus_alone.work = 1000s;
  packing.wait(Time{}, more_network);
  packing.wait(Time{}, cpus_alone);
  const sched::PackingDispatcher packs{packing.all};
  const sched::Duration overtaking = 2 * packing.all.moment(now).mean_task_time;
  EXPECT_EQ(packs.choose(Time{} + overtaking), 1u);
  EXPECT_EQ(packs.choose(Time{} + overtaking + 1ms), 2u) << "the network is kept, CPUs are not";
}

TEST_F(PackingDispatcherTest, APlanGoesFirst) {
  wait(reservation(1, demand(1000, 100), 1), 0s);
  wait(reservation(2, demand(1000, 100), 64), 1s);
  EXPECT_EQ(chosen(2s), 1u);
  parts.planned.set(
      std::vector<sched::cell::Allotted>{{.job = reserve_of(2).job, .slots = 1, .total = 1}});
  EXPECT_EQ(chosen(2s), 2u);
}

}  // namespace
}  // namespace dunlin::test
