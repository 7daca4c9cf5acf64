// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// A home that restarts does not know which of its tasks run. It waits for the workers that may have
// some: also for one that is away for longer than others take to report.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

class AwayAfterRestart : public ::testing::Test {
 protected:
  void SetUp() override {
    world.add({.total = {.cpu = 100, .memory = 8192, .custom = {}}, .attributes = {}});
    world.add(4, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}, .attributes = {}});
    world.run_for(5s);
    id = *world.submit(0, job(2, lasting(60s)));
    world.run_for(3s);
    for (const auto& [index, binding] : found().bindings()) {
      (index == 0 ? first : second) = World::node_of(binding.worker.id);
    }
    ASSERT_NE(first, 0u);
    ASSERT_NE(second, 0u);
  }
  const sched::JobState& found() { return *sched::find_job(world.peer(0), id); }
  std::uint64_t started() {
    std::uint64_t count = 0;
    for (std::size_t node = 0; node < world.size(); ++node) count += world.executor(node).started();
    return count;
  }

  World world{{.seed = 5}};
  JobId id;
  std::size_t first = 0;
  std::size_t second = 0;
};

// As `systemctl restart` on all nodes does, where one is slow.
TEST_F(AwayAfterRestart, AWorkerThatSaidSoKeepsItsTask) {
  world.pause(second);
  world.run_for(500ms);
  world.crash_agent(second);
  world.run_for(500ms);
  world.crash_agent(0);
  world.run_for(1500ms);
  world.restart(0);
  world.run_for(18s);
  world.restart(second);
  world.run_for(5s);
  EXPECT_EQ(found().counts()[sched::TaskState::launched], 2u);
  world.run_for(60s);
  EXPECT_EQ(found().counts()[sched::TaskState::succeeded], 2u);
  EXPECT_EQ(started(), 2u) << "no task ran twice";
  EXPECT_EQ(world.failure(), "");
}

TEST_F(AwayAfterRestart, AllHaveSpokenAndWhatWaitsGoesOnAtOnce) {
  const JobId waits = *world.submit(0, job(3, lasting(1s)));
  world.run_for(1s);
  world.crash_agent(0);
  world.run_for(500ms);
  world.restart(0);
  world.run_for(7s);
  EXPECT_EQ(sched::find_job(world.peer(0), waits)->counts()[sched::TaskState::succeeded], 3u);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(AwayAfterRestart, ADeadWorkerIsNotWaitedForLongerThanOthersSaySo) {
  world.crash(second);
  world.crash_agent(0);
  world.run_for(500ms);
  world.restart(0);
  const auto begun = world.now();
  ASSERT_TRUE(world.run_until([&] { return started() == 3; }, 60s)) << "the lost task begins again";
  EXPECT_LE(world.now() - begun, 15s + 1s) << "the lease of a task";
  world.run_for(70s);
  EXPECT_EQ(found().counts()[sched::TaskState::succeeded], 2u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
