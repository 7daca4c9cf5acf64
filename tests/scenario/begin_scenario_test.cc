// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/peer_view.h"
#include "tests/scenario/replicas.h"

// Jobs that begin later, in whole peers: their homes die before that, and come back, or another
// node goes on.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::TaskState;

class Begin : public Replicas {
 protected:
  /// Notes when the first task of the job is given to a worker.
  void watch(const JobId& id) {
    world.on_event = [this, id](std::size_t, const sched::Event& event) {
      const auto* const bound = std::get_if<sched::TaskBound>(&event);
      if (bound != nullptr && bound->job == id && !first_) first_ = world.now();
    };
  }
  std::optional<Time> first_;
};

TEST_F(Begin, AJobBeginsAtItsTimeThoughItsHomeWasAway) {
  sched::Job made = job(3, lasting(1s));
  made.begin = 40s;
  const auto submitted = world.now();
  const JobId id = world.submit(0, made).value();
  watch(id);
  ASSERT_TRUE(world.run_until([&] { return world.all_durable(); }, 5s));
  world.run_for(10s);
  EXPECT_FALSE(first_);
  world.crash(0);
  world.run_for(5s);
  world.restart(0);
  ASSERT_TRUE(finishes(id, 120s));
  ASSERT_TRUE(first_);
  EXPECT_GE(*first_ - submitted, 40s);
  EXPECT_LE(*first_ - submitted, 42s);
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 3u);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(Begin, ItIsNotForgottenWhenAStandbyGoesOn) {
  sched::Job made = replicated(3, 1s);
  made.begin = 200s;
  made.labels = {{.key = "team", .value = "a"}};
  const auto submitted = world.now();
  const JobId id = world.submit(0, made).value();
  watch(id);
  ASSERT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
  world.crash(0);
  world.erase_disk(0);
  ASSERT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "no takeover";
  EXPECT_TRUE(find(id)->waits_to_begin());
  EXPECT_EQ(find(id)->job().labels, made.labels);
  ASSERT_TRUE(finishes(id, 300s));
  ASSERT_TRUE(first_);
  EXPECT_GE(*first_ - submitted, 200s);
  EXPECT_EQ(find(id)->counts()[TaskState::succeeded], 3u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
