// SPDX-License-Identifier: MIT
// Federated placement: groups of tasks that start together, or not at all.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "sched/federation/global/global_master.h"
#include "sched/ledger/class_name.h"
#include "sched/worker/worker.h"
#include "tests/scenario/federated.h"

namespace dunlin::test {
namespace {

class FederationGangs : public FederationScenario {
 protected:
  static sched::Job gang(std::uint32_t tasks, Duration lasts, std::uint32_t cpu = 1000) {
    auto made = job(tasks, lasting(lasts));
    made.groups[0].gang = true;
    made.groups[0].demand.cpu = cpu;
    return made;
  }
  void begin(std::initializer_list<std::size_t> masters) {
    form();
    for (const std::size_t node : masters) lead(node);
    count_gangs();
  }
  void count_gangs() {
    world->on_event = [this](std::size_t node, const sched::Event& event) {
      note(node, event);
      if (const auto* begun = std::get_if<sched::GangStarted>(&event)) {
        ++gangs;
        gang_tasks += begun->tasks;
      }
    };
  }
  std::uint32_t running(std::size_t node, const JobId& id) const {
    return state(node, id).counts()[sched::TaskState::launched];
  }
  /// Slots that are held for answers anywhere.
  std::size_t asking() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < world->size(); ++i) {
      if (world->up(i) && world->peer(i).worker() != nullptr) {
        sum += world->peer(i).worker()->asking().size();
      }
    }
    return sum;
  }
  int gangs = 0;
  std::uint32_t gang_tasks = 0;
};

TEST_F(FederationGangs, StartsOnceThereIsRoomForAllOfIt) {
  begin({0});
  const JobId busy = *world->submit(0, job(20, lasting(10s)));
  world->run_for(1s);
  const JobId id = *world->submit(0, gang(30, 1s));
  world->run_for(5s);
  EXPECT_EQ(running(0, id), 0u) << "20 CPUs are free";
  EXPECT_EQ(asking(), 0u) << "and none of them is held in vain";
  ASSERT_TRUE(finish(0, id));
  EXPECT_TRUE(state(0, busy).finished());
  EXPECT_EQ(gangs, 1);
  EXPECT_EQ(gang_tasks, 30u) << "at once, in both cells";
  EXPECT_EQ(lost, 0);
}

// Each has room for one gang, so one comes after the other, and none waits for ever.
TEST_F(FederationGangs, TwoThatWantTheSameRoomDoNotBlockEachOther) {
  begin({0, 1});
  const JobId first = *world->submit(0, gang(26, 2s));
  const JobId second = *world->submit(1, gang(26, 2s));
  ASSERT_TRUE(finish(0, first, 120s) && finish(1, second, 120s));
  EXPECT_EQ(gangs, 2);
  EXPECT_EQ(gang_tasks, 52u);
  EXPECT_EQ(asking(), 0u);
}

TEST_F(FederationGangs, SmallJobsUseWhatAGangWaitsFor) {
  begin({0});
  ASSERT_TRUE(world->submit(0, job(36, lasting(8s))).has_value());
  world->run_for(1s);
  const JobId id = *world->submit(0, gang(20, 1s));
  world->run_for(1s);
  const JobId small = *world->submit(0, job(4, lasting(1s)));
  ASSERT_TRUE(finish(0, small, 4s));
  ASSERT_TRUE(finish(0, id));
}

TEST_F(FederationGangs, ALocalMasterDiesWhileRoomIsHeld) {
  begin({0});
  std::optional<std::size_t> dead;
  on_send = [&](std::size_t from, std::size_t, const std::string& kind) {
    if (kind == "offer" && !dead && from != 0) dead = from;
    return kind == "offer" && dead == from ? 0u : 1u;
  };
  const JobId id = *world->submit(0, gang(24, 1s));
  world->run_until([&] { return dead.has_value(); }, 5s);
  if (dead) world->crash(*dead);
  EXPECT_EQ(running(0, id), 0u);
  on_send = nullptr;
  ASSERT_TRUE(finish(0, id, 120s));
  EXPECT_EQ(gangs, 1);
  EXPECT_EQ(gang_tasks, 24u);
}

TEST_F(FederationGangs, AGlobalMasterDiesWhileRoomIsHeld) {
  begin({2});
  int asks = 0;
  on_send = [&](std::size_t, std::size_t to, const std::string& kind) {
    if (kind == "get_task" && to == 2) ++asks;
    return kind == "get_task" && to == 2 && asks > 4 ? 0u : 1u;
  };
  const JobId id = *world->submit(2, gang(30, 2s));
  ASSERT_TRUE(world->run_until([&] { return asks > 4; }, 5s));
  EXPECT_TRUE(started.empty());
  world->crash(2);
  on_send = nullptr;
  world->run_for(10s);
  EXPECT_TRUE(started.empty());
  EXPECT_EQ(asking(), 0u) << "workers give up what they hold";
  world->restart(2);
  ASSERT_TRUE(finish(2, id, 120s));
  EXPECT_EQ(started.size(), 30u);
  EXPECT_EQ(gangs, 1);
}

TEST_F(FederationGangs, WhatIsHeldIsLetGoWhenTheJobIsCancelled) {
  begin({0});
  int asks = 0;
  on_send = [&](std::size_t, std::size_t to, const std::string& kind) {
    if (kind == "get_task" && to == 0) ++asks;
    return kind == "get_task" && to == 0 && asks > 3 ? 0u : 1u;
  };
  const JobId id = *world->submit(0, gang(20, 2s));
  ASSERT_TRUE(world->run_until([&] { return asks > 3; }, 5s));
  on_send = nullptr;
  ASSERT_TRUE(world->cancel(0, id));
  world->run_for(5s);
  EXPECT_EQ(asking(), 0u);
  EXPECT_TRUE(started.empty());
}

/// Two classes share forty CPUs, of which gold has five eighths. Silver has more to do than there
/// is room for.
class FederationClassGangs : public FederationGangs {
 protected:
  void share_out(std::initializer_list<std::size_t> masters = {0}) {
    form();
    sched::books::Classes classes{.version = 1, .classes = {}};
    for (const auto& [name, share] : {std::pair("gold", 5), std::pair("silver", 3)}) {
      classes.classes.push_back(
          {.class_id = sched::class_id_of(name), .name = name, .share = share});
    }
    std::ranges::sort(classes.classes, {}, &sched::books::Class::class_id);
    ASSERT_TRUE(world->set_classes(0, classes));
    world->run_for(10s);
    for (const std::size_t node : masters) lead(node);
    count_gangs();
  }
  JobId silver(std::uint32_t tasks, Duration lasts) {
    auto made = job(tasks, lasting(lasts));
    made.service_class = "silver";
    return *world->submit(0, made);
  }
  JobId gold(std::uint32_t tasks, Duration lasts, std::size_t node = 0) {
    auto made = gang(tasks, lasts);
    made.service_class = "gold";
    return *world->submit(node, made);
  }
  /// All slots are taken by tasks of 20 s, four of which end every two seconds, and others wait for
  /// more than three minutes.
  JobId fill_with_long_tasks() {
    for (int i = 0; i < 10; ++i) {
      silver(4, 20s);
      world->run_for(2s);
    }
    return silver(400, 20s);
  }
};

// A class below its share has room kept for its gang: else small tasks of another class would have
// each slot before there is ever room for all of it.
TEST_F(FederationClassGangs, AGangHasTheShareOfItsClass) {
  share_out();
  const JobId busy = silver(1200, 1s);
  world->run_for(3s);
  const JobId id = gold(6, 1s);
  ASSERT_TRUE(finish(0, id, 12s)) << "silver has work for half a minute";
  EXPECT_FALSE(state(0, busy).finished());
  ASSERT_TRUE(finish(0, busy, 120s));
  EXPECT_EQ(asking(), 0u);
}

// Four tasks by themselves took 1.3 s, and as a gang 13.5 s: after all of silver.
TEST_F(FederationClassGangs, ASmallOneComesAsSoonAsItsTasksWouldAlone) {
  share_out();
  const JobId busy = silver(1200, 1s);
  world->run_for(3s);
  const JobId id = gold(4, 1s);
  ASSERT_TRUE(finish(0, id, 4s));
  EXPECT_EQ(gangs, 1);
  EXPECT_FALSE(state(0, busy).finished());
}

// Slots fall free a few at a time: a gang that held them for a second never had them all.
TEST_F(FederationClassGangs, ItHasItAlsoBesideTasksThatRunForLong) {
  share_out();
  const JobId busy = fill_with_long_tasks();
  const JobId id = gold(12, 1s);
  ASSERT_TRUE(finish(0, id, 60s)) << "silver has work for more than three minutes";
  EXPECT_FALSE(state(0, busy).finished());
  EXPECT_EQ(gangs, 1);
  EXPECT_EQ(gang_tasks, 12u);
  world->run_for(2s);
  EXPECT_EQ(asking(), 0u);
}

// Each has its share, but not both at once: what one holds the other one waits for.
TEST_F(FederationClassGangs, TwoOfAClassThatGatherAtTwoNodesDoNotBlockEachOther) {
  share_out({0, 1});
  const JobId busy = fill_with_long_tasks();
  const JobId first = gold(16, 1s);
  const JobId second = gold(16, 1s, 1);
  ASSERT_TRUE(finish(0, first, 120s) && finish(1, second, 120s));
  EXPECT_FALSE(state(0, busy).finished());
  EXPECT_EQ(gang_tasks, 32u);
}

TEST_F(FederationClassGangs, TwoOfAClassAtOneNodeComeOneAfterTheOther) {
  share_out();
  const JobId busy = fill_with_long_tasks();
  const JobId first = gold(16, 1s);
  const JobId second = gold(16, 1s);
  ASSERT_TRUE(finish(0, first, 120s));
  ASSERT_TRUE(finish(0, second, 120s));
  EXPECT_LT(*state(0, first).finished(), *state(0, second).finished());
  EXPECT_FALSE(state(0, busy).finished());
}

TEST_F(FederationClassGangs, AWorkerDiesThatHoldsRoom) {
  share_out();
  const JobId busy = fill_with_long_tasks();
  const JobId id = gold(14, 1s);
  const auto holder = [&]() -> std::optional<std::size_t> {
    for (std::size_t i = 1; i < world->size(); ++i) {
      if (world->peer(i).worker() == nullptr) continue;
      for (const sched::PendingRequest& each : world->peer(i).worker()->asking()) {
        if (each.reservation.reserve.job == id) return i;
      }
    }
    return std::nullopt;
  };
  ASSERT_TRUE(world->run_until([&] { return holder().has_value(); }, 20s));
  world->crash(*holder());
  ASSERT_TRUE(finish(0, id, 120s));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 14u);
  EXPECT_FALSE(state(0, busy).finished());
}

// It could have so much by luck only, and must not keep others from their work meanwhile.
TEST_F(FederationClassGangs, OneThatIsLargerThanTheShareOfItsClassStarvesNobody) {
  share_out();
  const JobId busy = silver(600, 5s);
  world->run_for(3s);
  const JobId id = gold(34, 1s);
  world->run_for(60s);
  EXPECT_GT(state(0, busy).counts()[sched::TaskState::succeeded], 300u) << "of 480 without it";
  ASSERT_TRUE(finish(0, busy, 120s));
  ASSERT_TRUE(finish(0, id, 60s)) << "there is room for all of it";
  EXPECT_EQ(gangs, 1);
}

// While one gang of a class gathered at a time at a node a stream of small ones had .40 of .625.
// With three at a time it has .53: what they hold before they are whole stands idle, and counts for
// none. With five it has .51.
TEST_F(FederationClassGangs, AStreamOfThemHasNearlyTheShareOfItsClass) {
  share_out();
  const JobId busy = silver(3000, 1s);
  for (int i = 0; i < 150; ++i) gold(4, 2s);
  world->run_for(10s);
  const auto seconds = [&](const std::string& name) {
    std::size_t sum = 0;
    for (const auto& [home, number, index, attempt] : started) {
      const bool is_silver = number == busy.number;
      if (is_silver == (name == "silver")) sum += is_silver ? 1u : 2u;
    }
    return static_cast<double>(sum);
  };
  const double gold_before = seconds("gold");
  const double silver_before = seconds("silver");
  world->run_for(30s);
  const double of_gold = seconds("gold") - gold_before;
  const double of_silver = seconds("silver") - silver_before;
  const double share = of_gold / (of_gold + of_silver);
  EXPECT_GT(share, .8 * .625);
  EXPECT_LT(share, .7);
  EXPECT_GT(of_gold + of_silver, 30 * 40 * .7) << "and little stands idle";
}

// It would wait for ever, and be said to wait for room.
TEST_F(FederationGangs, OneThatCanNeverFitTogetherIsRefused) {
  begin({0});
  world->run_for(30s);
  const auto refused_one = world->submit(0, gang(1000, 1s));
  ASSERT_FALSE(refused_one);
  EXPECT_EQ(refused_one.error().kind, ErrorKind::refused);
  EXPECT_NE(refused_one.error().text.find("its 1000 tasks start together"), std::string::npos)
      << refused_one.error().text;
  EXPECT_TRUE(world->submit(0, job(1000, lasting(1s)))) << "one after the other they fit";
}

TEST_F(FederationGangs, NoFrontendThatProbesTakesOne) {
  form(options(sched::PlacementName::adaptive));
  const auto refused_one = world->submit(0, gang(2, 1s));
  ASSERT_FALSE(refused_one);
  EXPECT_EQ(refused_one.error().kind, ErrorKind::refused);
}

}  // namespace
}  // namespace dunlin::test
