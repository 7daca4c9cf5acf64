// SPDX-License-Identifier: MIT
// Figure 6.1 of the NTU thesis (Lin 2014) in whole peers: a job with a deadline, light tasks first
// and then heavier ones, beside a job that takes all slots which the plan leaves. tests/node has
// the same with real agents.
#include <gtest/gtest.h>
#include <optional>
#include <tuple>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/plan_rule.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCellNodes = 8;
constexpr std::size_t kLost = 6;
constexpr sched::Duration kDeadline = 240s;

WorldOptions figure_options(std::uint64_t seed) {
  WorldOptions options{.seed = seed};
  options.params.sharing.cell.cell_size = kCellNodes;
  options.params.sharing.cell.voters = 1;
  return options;
}

/// The node that plans for all nodes; none while there is none.
std::optional<std::size_t> planning_node(const World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (world.peer(i).cells() == nullptr) continue;
    for (const auto& hosted : world.peer(i).cells()->hosted()) {
      if (!hosted->manager || hosted->level() != 0) continue;
      if (hosted->manager->planner().members() == world.size()) return i;
    }
  }
  return std::nullopt;
}

/// All nodes but `home` that are lost, down for a minute.
void fail_for_a_minute(World& world, std::size_t home) {
  std::vector<std::size_t> lost;
  for (std::size_t i = 0; i < kCellNodes && lost.size() < kLost; ++i) {
    if (i != home) lost.push_back(i);
  }
  for (const std::size_t node : lost) world.crash(node);
  world.run_for(60s);
  for (const std::size_t node : lost) world.restart(node);
}

/// The seed, and whether six nodes fail.
class PlanFigure : public ::testing::TestWithParam<std::tuple<std::uint64_t, bool>> {};

// The slots that the job gets late on are free only when tasks of the other one end, and it is
// known only by and by how long the heavy tasks take.
TEST_P(PlanFigure, AJobBesideAnotherEndsInTime) {
  const auto [seed, fails] = GetParam();
  World world(figure_options(seed));
  world.add(kCellNodes, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}});
  world.run_for(5s);
  const sched::PlanParams rule{
      .policy = sched::PlanPolicyName::deadline, .spare = sched::SpareRule::priority};
  ASSERT_TRUE(world.set_classes(7, {.version = 1, .classes = {}, .plan = sched::plan_rule(rule)}));
  ASSERT_TRUE(world.run_until([&] { return planning_node(world).has_value(); }, 240s));
  const std::size_t home = *planning_node(world);
  auto other = job(1000, lasting(5s));
  other.groups[0].priority = 60;
  ASSERT_TRUE(world.submit(home, other));
  world.run_for(2s);

  auto wanted = job(120, {.duration = 1500ms, .heavy_from = 60, .heavy = 10s});
  wanted.groups[0].duration = 6500ms;
  wanted.groups[0].retries = 5;
  wanted.deadline = kDeadline;
  const sched::Time begin = world.now();
  const auto id = world.submit(home, wanted);
  ASSERT_TRUE(id);
  if (fails) {
    world.run_for(55s);
    fail_for_a_minute(world, home);
  }
  const auto done = [&] {
    const sched::JobState* const found = find_job(world.peer(home), *id);
    return found->counts()[sched::TaskState::succeeded] == found->task_count();
  };
  EXPECT_TRUE(world.run_until(done, begin + 2 * kDeadline - world.now()));
  const std::chrono::duration<double> took = world.now() - begin;
  EXPECT_LE(took, kDeadline);
  EXPECT_GT(took, 0.9 * kDeadline) << "it has no more slots than it needs";
  EXPECT_EQ(world.failure(), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds,
    PlanFigure,
    ::testing::Combine(::testing::Range<std::uint64_t>(1, 9), ::testing::Bool()));

}  // namespace
}  // namespace dunlin::test
