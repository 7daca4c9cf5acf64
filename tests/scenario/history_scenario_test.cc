// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/scenario/replicas.h"

// What is left of jobs that have ended, in whole peers: it goes along wherever the job goes.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::TaskState;

/// The records of tasks go as soon as their job has ended, and jobs stay.
class FadingTasks : public Replicas {
 protected:
  FadingTasks() : Replicas(options()) {}
  static WorldOptions options() {
    WorldOptions options{.seed = 11};
    options.params.frontend.history_min = 0s;
    options.params.frontend.history_bytes = 0;
    return options;
  }
  bool is_pruned(const JobId& id) {
    const sched::JobState* const job = find(id);
    return job != nullptr && job->pruned();
  }
};

TEST_F(FadingTasks, AreForgottenAtTheNextHomeToo) {
  const JobId id = world.submit(0, replicated(4, 1s)).value();
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s)) << describe();
  ASSERT_TRUE(world.run_until([&] { return is_pruned(id); }, 60s));
  const auto ended = find(id)->progress().ended;
  world.run_for(10s);
  world.crash(0);
  world.erase_disk(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 180s)) << describe();
  const sched::JobState& job = *find(id);
  EXPECT_TRUE(job.pruned());
  EXPECT_EQ(job.progress().ended, ended);
  EXPECT_EQ(job.counts()[TaskState::succeeded], 4u);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(FadingTasks, DoNotRunAgainAfterARestart) {
  const JobId id = world.submit(1, job(4, lasting(1s))).value();
  ASSERT_TRUE(world.run_until([&] { return is_pruned(id); }, 60s));
  const auto ended = find(id)->progress().ended;
  const std::uint64_t before = started();
  world.crash(1);
  world.run_for(2s);
  world.restart(1);
  world.run_for(20s);
  ASSERT_TRUE(is_pruned(id));
  EXPECT_TRUE(find(id)->finished());
  EXPECT_EQ(find(id)->progress().ended, ended);
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 4u);
  EXPECT_EQ(started(), before);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
