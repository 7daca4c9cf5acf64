// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// A node that cannot start tasks refuses each in a millisecond, looks idle and draws everything.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

class SickNode : public ::testing::TestWithParam<sched::PlacementName> {
 protected:
  static WorldOptions options() {
    WorldOptions options;
    options.params.frontend.placement = GetParam();
    return options;
  }
  void start(std::size_t nodes) {
    world.add(nodes, {.total = {.cpu = 2000, .memory = 8192, .custom = {}}, .attributes = {}});
    world.on_event = [this](std::size_t at, const sched::Event& event) { note(at, event); };
    world.run_for(5s);
  }
  void note(std::size_t at, const sched::Event& event) {
    if (const auto* bound = std::get_if<sched::TaskBound>(&event)) {
      if (World::node_of(bound->worker) != kSick) return;
      ++bound_to_sick;
      twice |= !given_to_sick.insert(bound->index).second;
    }
    if (std::holds_alternative<sched::HealthChanged>(event) && at == kSick) ++changes;
  }
  const sched::JobState& job(const JobId& id) const {
    return *sched::frontend_of(world.peer(0)).find(id);
  }
  bool finish(const JobId& id, Duration limit) {
    return world.run_until([&] { return job(id).finished().has_value(); }, limit);
  }

  static constexpr std::size_t kSick = 1;
  World world{options()};
  int bound_to_sick = 0;
  int changes = 0;
  bool twice = false;
  std::set<std::uint32_t> given_to_sick;
};

TEST_P(SickNode, FailsNoneOf200TasksBesideTwoThatAreWell) {
  start(3);
  world.break_down(kSick, true);
  const JobId id = *world.submit(0, test::job(200, lasting(100ms)));
  ASSERT_TRUE(finish(id, 1min)) << world.failure();
  EXPECT_EQ(job(id).counts()[sched::TaskState::succeeded], 200u);
  EXPECT_FALSE(twice) << "a task goes to a node that failed it only if there is no other";
  EXPECT_LE(bound_to_sick, 8) << "it draws no more once it is sick";
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(world.failure(), "");
}

TEST_P(SickNode, IsWellAgainOnceATrialWorks) {
  start(3);
  world.break_down(kSick, true);
  const JobId first = *world.submit(0, test::job(20, lasting(100ms)));
  ASSERT_TRUE(finish(first, 1min));
  world.run_for(20s);
  EXPECT_TRUE(world.peer(kSick).worker()->availability().health().sick());
  world.break_down(kSick, false);
  world.run_for(10s);
  EXPECT_FALSE(world.peer(kSick).worker()->availability().health().sick());
  bound_to_sick = 0;
  const JobId second = *world.submit(0, test::job(200, lasting(100ms)));
  ASSERT_TRUE(finish(second, 1min));
  EXPECT_GT(bound_to_sick, 20) << "it takes its part of the work";
  EXPECT_EQ(job(second).counts()[sched::TaskState::succeeded], 200u);
}

TEST_P(SickNode, IsKnownByItsGossip) {
  start(3);
  world.set_health(kSick, "disk is full");
  world.run_for(10s);
  std::vector<overlay::Neighbour> known;
  world.peer(0).overlay().neighbours(known);
  const auto sick = std::ranges::find(
      known, World::id_of(kSick), [](const overlay::Neighbour& node) { return node.peer.id; });
  ASSERT_NE(sick, known.end());
  EXPECT_TRUE(sched::is_sick(sick->peer));
  const JobId id = *world.submit(0, test::job(50, lasting(100ms)));
  ASSERT_TRUE(finish(id, 1min));
  EXPECT_EQ(bound_to_sick, 0);
  world.set_health(kSick, "");
  world.run_for(10s);
  world.peer(0).overlay().neighbours(known);
  EXPECT_EQ(std::ranges::count_if(
                known, [](const overlay::Neighbour& node) { return sched::is_sick(node.peer); }),
      0);
}

// On the only node there is, tasks wait for it, however long that takes, and none fails.
TEST_P(SickNode, TasksWaitForTheOnlyNodeThereIs) {
  start(1);
  world.break_down(0, true);
  const JobId id = *world.submit(0, test::job(10, lasting(100ms)));
  world.run_for(10min);
  EXPECT_EQ(job(id).counts()[sched::TaskState::waiting], 10u);
  EXPECT_LE(world.store(0).attempts_forgiven(id), 10u) << "a sick node takes none";
  world.break_down(0, false);
  ASSERT_TRUE(finish(id, 2min));
  EXPECT_EQ(job(id).counts()[sched::TaskState::succeeded], 10u);
}

TEST_P(SickNode, TasksThatANodeLosesRunElsewhere) {
  start(3);
  const JobId id = *world.submit(0, test::job(6, lasting(10s)));
  world.run_for(2s);
  world.lose_tasks(kSick);
  ASSERT_TRUE(finish(id, 1min));
  EXPECT_EQ(job(id).counts()[sched::TaskState::succeeded], 6u);
  EXPECT_FALSE(twice);
  EXPECT_EQ(changes, 0) << "the node itself is well";
}

INSTANTIATE_TEST_SUITE_P(Placements,
    SickNode,
    ::testing::Values(sched::PlacementName::random,
        sched::PlacementName::gradient,
        sched::PlacementName::adaptive),
    [](const auto& placement) {
      return std::string(
          overlay::kWords<sched::PlacementName>[static_cast<std::size_t>(placement.param)]);
    });

}  // namespace
}  // namespace dunlin::test
