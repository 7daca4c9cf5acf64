// SPDX-License-Identifier: MIT
// Federated placement with federation.validate = worker: launches go straight to members.
#include "tests/scenario/federated.h"

namespace dunlin::test {
namespace {

class FederationDirect : public FederationScenario {
 protected:
  static WorldOptions direct() {
    WorldOptions made = options(sched::PlacementName::federated);
    made.params.federation.validate = sched::federation::Validate::worker;
    return made;
  }
};

TEST_F(FederationDirect, ATaskStartsAfterOneMessage) {
  form(direct());
  lead(0);
  std::optional<Time> first;
  world->on_event = [&](std::size_t node, const sched::Event& event) {
    note(node, event);
    if (!first && std::holds_alternative<sched::TaskStarted>(event)) first = world->now();
  };
  const Time begun = world->now();
  const JobId id = *world->submit(0, job(24, lasting(1s)));
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 24u);
  EXPECT_EQ(sent["start_tasks"] + sent["passed_launch"] + sent["reserve"], 0);
  ASSERT_TRUE(first.has_value());
  EXPECT_LE(*first - begun, 700us) << "the longest way of one message";
}

TEST_F(FederationDirect, WhatTheMemberCannotStartItsLocalMasterStartsElsewhere) {
  form(direct());
  lead(0);
  lead(1);
  // Each master has a half of the nodes for its own, and takes some of the other's.
  const JobId first = *world->submit(0, job(26, lasting(2s)));
  const JobId second = *world->submit(1, job(26, lasting(2s)));
  ASSERT_TRUE(finish(0, first) && finish(1, second));
  EXPECT_GT(sent["passed_launch"], 0);
  EXPECT_EQ(started.size(), 52u);
  EXPECT_EQ(lost, 0);
}

TEST_F(FederationDirect, WhatComesTwiceOrIsLostStartsOnce) {
  form(direct());
  lead(0);
  lead(1);
  std::map<std::string, int> seen;
  on_send = [&](std::size_t, std::size_t, const std::string& kind) {
    const bool of_launch = kind == "launch_tasks" || kind == "start_tasks" ||
        kind == "passed_launch" || kind == "launch_reply";
    if (!of_launch) return 1u;
    const int count = ++seen[kind];
    return count % 5 == 1 ? 0u : 2u;
  };
  const JobId first = *world->submit(0, job(26, lasting(1s)));
  const JobId second = *world->submit(1, job(26, lasting(1s)));
  ASSERT_TRUE(finish(0, first) && finish(1, second));
  EXPECT_EQ(started.size(), 52u);
  EXPECT_EQ(lost, 0);
  EXPECT_GE(seen.size(), 3u);
}

TEST_F(FederationDirect, AMemberThatDiesCostsItsTasksOneAttempt) {
  form(direct());
  lead(0);
  std::optional<std::size_t> dead;
  on_send = [&](std::size_t, std::size_t to, const std::string& kind) {
    if (kind == "launch_tasks" && !dead && to != 0) dead = to;
    return kind == "launch_tasks" && dead == to ? 0u : 1u;
  };
  const JobId id = *world->submit(0, job(20, lasting(3s)));
  ASSERT_TRUE(world->run_until([&] { return dead.has_value(); }, 1s));
  world->crash(*dead);
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 20u);
  EXPECT_GT(lost, 0);
  EXPECT_LE(lost, 4) << "those that went there";
}

// The next process of a member does not know what the one before did with a launch.
TEST_F(FederationDirect, ALaunchIsForOneProcessOfItsMember) {
  form(direct());
  lead(0);
  std::optional<std::size_t> member;
  on_send = [&](std::size_t from, std::size_t to, const std::string& kind) {
    if (kind == "launch_tasks" && !member && to != 0) member = to;
    return kind == "launch_reply" && member == from ? 0u : 1u;
  };
  const JobId id = *world->submit(0, job(16, lasting(3s)));
  ASSERT_TRUE(world->run_until([&] { return started.size() == 16; }, 1s));
  world->crash(*member);
  world->restart(*member);
  on_send = nullptr;
  ASSERT_TRUE(finish(0, id));
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 16u);
}

// Each launch has the whole work, and went to all members at once.
TEST_F(FederationDirect, LargeCommandsAreUnderWayWithinABound) {
  form(direct());
  lead(0);
  sched::Job large = job(1, lasting(1s));
  large.groups.front().spec.resize(1 << 20);
  large.groups.resize(24, sched::TaskGroup(large.groups.front()));
  const JobId id = *world->submit(0, large);
  std::size_t bytes_max = master(0).bytes_under_way();
  ASSERT_TRUE(world->run_until(
      [&] {
        bytes_max = std::max(bytes_max, master(0).bytes_under_way());
        return state(0, id).finished().has_value();
      },
      60s));
  EXPECT_LE(bytes_max, std::size_t{16} << 20);
  EXPECT_GT(bytes_max, std::size_t{8} << 20) << "it is launched at all";
  EXPECT_EQ(master(0).bytes_under_way(), 0u);
  EXPECT_EQ(state(0, id).counts()[sched::TaskState::succeeded], 24u);
  EXPECT_EQ(world->failure(), "");
}

}  // namespace
}  // namespace dunlin::test
