// SPDX-License-Identifier: MIT
// Federated placement: what is launched, and what becomes of it where masters err or die.
#include "sched/federation/global/global_master.h"
#include "tests/scenario/federated.h"

namespace dunlin::test {
namespace {

TEST_F(FederationScenario, TasksGoWhereTheViewHasRoomWithoutAProbe) {
  form();
  lead(0);
  const auto before = master(0).counts();
  const JobId id = *world->submit(0, job(24, lasting(1s)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 24u);
  EXPECT_EQ(master(0).counts().placed - before.placed, 24u);
  EXPECT_EQ(sent["reserve"], 0);
  EXPECT_EQ(sent["get_task"], 0);
  EXPECT_EQ(refused + lost, 0);
}

// A task that ends makes room, which goes to one that waits at the local master.
TEST_F(FederationScenario, WhatHasNoMatchGetsTheRoomThatComes) {
  form();
  lead(0);
  const JobId id = *world->submit(0, job(100, lasting(500ms)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 100u);
  EXPECT_GT(sent["park"], 0);
  EXPECT_GE(sent["offer"], 10);
  EXPECT_EQ(sent["reserve"], 0) << "room came all the time";
  EXPECT_EQ(started.size(), 100u);
  // Nothing of it waits anywhere any more.
  for (std::size_t i = 0; i < kFederatedNodes; ++i) {
    if (world->peer(i).masters() == nullptr) continue;
    for (const auto& [cell, local] : world->peer(i).masters()->masters()) {
      EXPECT_EQ(local.offers().size(), 0u);
    }
  }
}

// Both frontends have more tasks than there is room for: the small job is served first.
TEST_F(FederationScenario, TheBestOfAllFrontendsGetsTheRoomThatComes) {
  form();
  lead(0);
  lead(1);
  const JobId large = *world->submit(0, job(400, lasting(1s)));
  world->run_for(500ms);
  const JobId small = *world->submit(1, job(4, lasting(1s)));
  const Time begun = world->now();
  ASSERT_TRUE(finish(1, small));
  EXPECT_LE(world->now() - begun, 3s) << "it waits for no more than one round of tasks";
  EXPECT_FALSE(state(0, large).finished());
  ASSERT_TRUE(finish(0, large));
}

TEST_F(FederationScenario, WordsOfParkedTasksMayBeLost) {
  form();
  lead(0);
  int seen = 0;
  on_send = [&](std::size_t, std::size_t, const std::string& kind) {
    if (kind != "park" && kind != "offer") return 1u;
    return ++seen % 2 == 0 ? 0u : 2u;
  };
  const JobId id = *world->submit(0, job(120, lasting(200ms)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_GT(seen, 10);
  EXPECT_EQ(started.size(), 120u);
  EXPECT_EQ(lost, 0);
}

// The tasks wait for no local master that does not speak.
TEST_F(FederationScenario, WhatIsParkedAndGetsNothingIsProbed) {
  form();
  lead(0);
  on_send = [](std::size_t, std::size_t, const std::string& kind) {
    return kind == "offer" ? 0u : 1u;
  };
  const JobId id = *world->submit(0, job(100, lasting(500ms)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_GT(sent["reserve"], 0);
}

TEST_F(FederationScenario, WhatHasNoMatchIsProbed) {
  auto without_park = options(sched::PlacementName::federated);
  without_park.params.federation.park = false;
  form(without_park);
  lead(0);
  // 40 CPUs, and some of them are kept for short tasks.
  const JobId id = *world->submit(0, job(100, lasting(500ms)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 100u);
  EXPECT_GT(sent["launch_tasks"], 0);
  EXPECT_GT(sent["reserve"], 0);
}

TEST_F(FederationScenario, ClustersThatProbeSayNothingOfIt) {
  form(options(sched::PlacementName::adaptive));
  const JobId id = *world->submit(0, job(30));
  ASSERT_TRUE(finish(0, id));
  for (const char* kind : {"attach", "attached", "cell_view", "launch_tasks", "launch_reply",
           "roll_call", "member_row", "start_tasks"}) {
    EXPECT_EQ(sent[kind], 0) << kind;
  }
}

// Failures 1 and 2 of section IV-B6: both masters see the same nodes free, and take them at once.
TEST_F(FederationScenario, TwoMastersThatWantTheSameRoomBothGetWhatThereIs) {
  auto without_repair = options(sched::PlacementName::federated);
  without_repair.params.federation.repair = false;
  form(without_repair);
  lead(0);
  lead(1);
  const JobId first = *world->submit(0, job(25, lasting(2s)));
  const JobId second = *world->submit(1, job(25, lasting(2s)));
  ASSERT_TRUE(finish(0, first) && finish(1, second));
  EXPECT_GT(refused, 0);
  EXPECT_EQ(lost, 0) << "a refusal costs no attempt";
  EXPECT_EQ(started.size(), 50u);
}

TEST_F(FederationScenario, ARepairFindsOtherRoomInTheCell) {
  form();
  lead(0);
  lead(1);
  const JobId first = *world->submit(0, job(12, lasting(2s)));
  const JobId second = *world->submit(1, job(12, lasting(2s)));
  ASSERT_TRUE(finish(0, first) && finish(1, second));
  EXPECT_EQ(refused, 0) << "there is room for all in each cell";
  EXPECT_EQ(started.size(), 24u);
}

TEST_F(FederationScenario, WhatComesTwiceStartsOnce) {
  form();
  lead(0);
  on_send = [](std::size_t, std::size_t, const std::string& kind) {
    return kind == "launch_tasks" || kind == "start_tasks" || kind == "launch_reply" ? 3u : 1u;
  };
  const JobId id = *world->submit(0, job(20, lasting(100ms)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(started.size(), 20u);
  EXPECT_EQ(lost, 0);
}

TEST_F(FederationScenario, WhatIsLostOnTheWayIsSentAgain) {
  form();
  lead(0);
  std::map<std::string, int> dropped;
  on_send = [&](std::size_t, std::size_t, const std::string& kind) {
    const bool drops = kind == "launch_tasks" || kind == "start_tasks" || kind == "launch_reply";
    return drops && dropped[kind]++ < 1 ? 0u : 1u;
  };
  const JobId id = *world->submit(0, job(4, lasting(100ms)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(dropped.size(), 3u);
  EXPECT_EQ(started.size(), 4u);
  EXPECT_EQ(lost, 0);
}

TEST_F(FederationScenario, ALocalMasterDiesBetweenStartAndReply) {
  form();
  std::size_t far = 0;
  while (far < kFederatedNodes && manager_of(far) == far) ++far;
  ASSERT_LT(far, kFederatedNodes);
  lead(far);
  std::optional<std::size_t> dead;
  on_send = [&](std::size_t from, std::size_t, const std::string& kind) {
    if (kind != "launch_reply" || (dead && *dead != from)) return 1u;
    dead = from;
    return 0u;
  };
  const JobId id = *world->submit(far, job(8, lasting(3s)));
  ASSERT_TRUE(world->run_until([&] { return dead.has_value(); }, 5s));
  world->crash(*dead);
  ASSERT_TRUE(finish(far, id));
  EXPECT_EQ(state(far, id).counts()[sched::TaskState::succeeded], 8u);
  // The next one does not know what was launched before it, and is found.
  ASSERT_TRUE(world->run_until(
      [&] { return master(far).view().size() >= kFederatedNodes - 1 && manager_of(far) != *dead; },
      60s));
  sent.clear();
  const JobId next = *world->submit(far, job(8));
  ASSERT_TRUE(finish(far, next));
  EXPECT_EQ(sent["reserve"], 0);
}

TEST_F(FederationScenario, AGlobalMasterDiesWithLaunchesOut) {
  form();
  lead(2);
  on_send = [&](std::size_t, std::size_t to, const std::string& kind) {
    return kind == "launch_reply" && to == 2 ? 0u : 1u;
  };
  const JobId id = *world->submit(2, job(6, lasting(8s)));
  ASSERT_TRUE(world->run_until([&] { return started.size() == 6; }, 5s));
  world->crash(2);
  on_send = nullptr;
  world->restart(2);
  ASSERT_TRUE(finish(2, id));
  EXPECT_EQ(state(2, id).counts()[sched::TaskState::succeeded], 6u);
  EXPECT_GE(adopted, 3) << "those that ran elsewhere run on";
}

TEST_F(FederationScenario, MastersThatAreTurnedAwayProbe) {
  auto few = options(sched::PlacementName::federated);
  few.params.federation.masters_max = 1;
  form(few);
  lead(0);
  ASSERT_TRUE(world->submit(0, job(1, lasting(60s))).has_value());
  lead(1);  // A guest.
  ASSERT_TRUE(world->submit(1, job(1, lasting(60s))).has_value());
  const JobId id = *world->submit(2, job(10));
  world->run_for(10s);
  const JobId other = *world->submit(2, job(10));
  ASSERT_TRUE(finish(2, id) && finish(2, other));
  EXPECT_EQ(master(2).view().size(), 0u);
  EXPECT_EQ(master(2).counts().placed, 0u);
}

// Its worker is not known yet, so there is no address to ask about: once that broke the world.
TEST_F(FederationScenario, NobodyIsAskedAfterTheWorkerOfALaunch) {
  auto patient = options(sched::PlacementName::federated);
  patient.params.federation.launch_timeout = 3s;
  form(patient);
  lead(0);
  on_send = [](std::size_t, std::size_t, const std::string& kind) {
    return kind == "launch_tasks" ? 0u : 1u;
  };
  const JobId id = *world->submit(0, job(3));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(lost, 3);
}

TEST_F(FederationScenario, LocalMastersAreForgottenWhereNobodyNeedsThem) {
  form();
  lead(0);
  world->run_for(30s);
  EXPECT_EQ(master(0).view().size(), 0u);
  sent.clear();
  world->run_for(20s);
  EXPECT_EQ(sent["attach"] + sent["roll_call"] + sent["member_row"], 0);
}

}  // namespace
}  // namespace dunlin::test
