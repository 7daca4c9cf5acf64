// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// A home restarts, and somebody cancels before its workers said what became of their tasks: what
// had ended by then has its result, what runs is stopped, and what waits ends.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::TaskState;

class LateCancel : public ::testing::Test {
 protected:
  void SetUp() override {
    world.add({.total = {.cpu = 100, .memory = 8192, .custom = {}}, .attributes = {}});
    world.add(2, {.total = {.cpu = 1000, .memory = 8192, .custom = {}}, .attributes = {}});
    world.run_for(5s);
  }
  /// Two tasks run, and end while their home is dead; it is back now.
  JobId ended_meanwhile() {
    const JobId id = *world.submit(0, job(2, lasting(6s)));
    world.run_for(3s);
    EXPECT_EQ(found(id).counts()[TaskState::launched], 2u);
    world.crash_agent(0);
    world.run_for(6s);
    world.restart(0);
    return id;
  }
  const sched::JobState& found(const JobId& id) { return *sched::find_job(world.peer(0), id); }

  World world{{.seed = 5}};
};

TEST_F(LateCancel, OfATaskThatHadEndedErasesNoResult) {
  const JobId id = ended_meanwhile();
  ASSERT_TRUE(world.cancel(0, id, {0}));
  world.run_for(30s);
  EXPECT_EQ(found(id).counts()[TaskState::succeeded], 2u);
  ASSERT_NE(world.store(0).result(id, 0), nullptr);
  EXPECT_EQ(world.store(0).result(id, 0)->outcome, sched::Outcome::exited);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(LateCancel, OfAJobThatHadEndedErasesNoResult) {
  const JobId id = ended_meanwhile();
  ASSERT_TRUE(world.cancel(0, id));
  world.run_for(30s);
  EXPECT_EQ(found(id).counts()[TaskState::succeeded], 2u);
  EXPECT_FALSE(found(id).progress().cancelled);
  EXPECT_EQ(world.failure(), "");
  world.crash_agent(0);
  world.restart(0);
  world.run_for(10s);
  EXPECT_FALSE(found(id).progress().cancelled) << "nor does a later life";
}

TEST_F(LateCancel, StopsWhatRunsAndEndsWhatWaits) {
  const JobId id = *world.submit(0, job(3, lasting(60s)));
  world.run_for(3s);
  ASSERT_EQ(found(id).counts()[TaskState::launched], 2u);
  world.crash_agent(0);
  world.run_for(1s);
  world.restart(0);
  ASSERT_TRUE(world.cancel(0, id));
  world.run_for(30s);
  EXPECT_EQ(found(id).counts()[TaskState::cancelled], 3u);
  EXPECT_TRUE(found(id).finished());
  EXPECT_EQ(world.failure(), "");
}

// The cancel was answered, so it holds, although the home dies once more.
TEST_F(LateCancel, OutlivesAnotherRestart) {
  for (const bool whole : {false, true}) {
    const JobId id = *world.submit(0, job(2, lasting(60s)));
    world.run_for(3s);
    world.crash_agent(0);
    world.run_for(1s);
    world.restart(0);
    ASSERT_TRUE(whole ? world.cancel(0, id) : world.cancel(0, id, {0, 1}));
    ASSERT_TRUE(world.run_until([&] { return world.all_durable(); }, 10s));
    world.crash_agent(0);
    world.run_for(1s);
    world.restart(0);
    world.run_for(30s);
    EXPECT_EQ(found(id).counts()[TaskState::cancelled], 2u) << "whole: " << whole;
    EXPECT_EQ(world.failure(), "");
  }
}

}  // namespace
}  // namespace dunlin::test
