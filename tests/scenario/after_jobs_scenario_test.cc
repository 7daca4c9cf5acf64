// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// Jobs that wait for jobs of other homes, in whole peers: messages are lost, and either home dies
// at any moment. No task starts too early, and none waits for ever.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::JobState;
using sched::TaskState;

constexpr std::size_t kFirst = 0;   ///< The home of the job that is waited for.
constexpr std::size_t kSecond = 1;  ///< The home of the job that waits.

class AfterJobs : public ::testing::Test {
 protected:
  static sched::Job waiting_for(const JobId& job, bool any = false, bool has_replicas = false) {
    sched::Job made = test::job(3, lasting(1s));
    made.after_jobs.push_back({.job = job,
        .any = any,
        .has_replicas = has_replicas,
        .address = World::endpoint_of(World::node_of(job.home)).address});
    return made;
  }
  static const JobState* find(const World& world, const JobId& id) {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node)) continue;
      const JobState* const found = sched::find_job(world.peer(node), id);
      if (found != nullptr) return found;
    }
    return nullptr;
  }
  static bool finishes(World& world, const JobId& id, sched::Duration limit) {
    return world.run_until(
        [&] {
          const JobState* const found = find(world, id);
          return found != nullptr && found->finished();
        },
        limit);
  }
};

TEST_F(AfterJobs, StartsAsSoonAsTheOtherHasEnded) {
  World world{{.seed = 3}};
  world.add(4, {});
  world.run_for(5s);
  const JobId first = world.submit(kFirst, job(2, lasting(20s))).value();
  const JobId second = world.submit(kSecond, waiting_for(first)).value();
  ASSERT_TRUE(finishes(world, first, 60s));
  const auto ended = world.now();
  ASSERT_TRUE(finishes(world, second, 60s));
  EXPECT_LT(world.now() - ended, 3s) << "its home is told, and need not ask";
  EXPECT_EQ(world.failure(), "");
}

// Of the same node and of another one, which dies once and knows no more when it began: then the
// time counts anew, and is never too short.
TEST_F(AfterJobs, MayWaitForTheOtherToHaveBegunForSoLong) {
  for (const bool dies : {false, true}) {
    SCOPED_TRACE(dies);
    World world{{.seed = 12}};
    world.add(4, {});
    world.run_for(5s);
    std::map<JobId, sched::Time> begun;
    world.on_event = [&](std::size_t, const sched::Event& event) {
      const auto* const bound = std::get_if<sched::TaskBound>(&event);
      if (bound != nullptr) begun.try_emplace(bound->job, world.now());
    };
    const JobId first = world.submit(kFirst, job(2, lasting(120s))).value();
    std::vector<JobId> later;
    for (const std::size_t home : {kFirst, kSecond}) {
      sched::Job made = waiting_for(first);
      made.after_jobs[0].begun_for = 20s;
      later.push_back(world.submit(home, std::move(made)).value());
    }
    if (dies) {
      world.at(world.now() + 8s, [&world] { world.crash(kFirst); });
      world.at(world.now() + 10s, [&world] { world.restart(kFirst); });
    }
    for (const JobId& each : later) {
      EXPECT_TRUE(finishes(world, each, 100s));
      EXPECT_GE(begun[each] - begun[first], 20s);
      if (!dies) {
        EXPECT_LT(begun[each] - begun[first], 23s);
      }
      EXPECT_EQ(find(world, each)->counts()[TaskState::succeeded], 3u);
    }
    EXPECT_FALSE(find(world, first)->finished()) << "they need not wait for its end";
    EXPECT_EQ(world.failure(), "");
  }
}

TEST_F(AfterJobs, OfOneNodeGoByTheSameWords) {
  World world{{.seed = 4}};
  world.add(2, {});
  world.run_for(5s);
  const JobId first =
      world.submit(kFirst, job(1, {.duration = 2s, .status = 1, .attempts_failing = 9})).value();
  const JobId strict = world.submit(kFirst, waiting_for(first)).value();
  const JobId anyhow = world.submit(kFirst, waiting_for(first, true)).value();
  ASSERT_TRUE(finishes(world, anyhow, 60s));
  ASSERT_TRUE(finishes(world, strict, 60s));
  EXPECT_EQ(find(world, strict)->counts()[TaskState::cancelled], 3u);
  EXPECT_EQ(find(world, strict)->progress().cancelled_by, sched::CancelledBy::after);
  EXPECT_EQ(find(world, anyhow)->counts()[TaskState::succeeded], 3u);
  auto unknown = waiting_for({.home = World::id_of(kFirst), .number = 99, .lineage = 5});
  EXPECT_FALSE(world.submit(kFirst, unknown)) << "such a job never was";
  EXPECT_EQ(world.failure(), "");
}

// Each seed: both homes die once, at moments drawn, with loss, doubles and late disks throughout.
TEST_F(AfterJobs, SurviveTheDeathOfEitherHome) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    World world{{.seed = seed,
        .network = {.loss = 0.2, .duplication = 0.1, .straggling = 0.05},
        .commit_max = 200ms}};
    world.add(4, {});
    world.run_for(5s);
    overlay::Rng rng(seed);
    const JobId first = world.submit(kFirst, job(2, lasting(6s))).value();
    ASSERT_TRUE(world.run_until([&] { return world.all_durable(); }, 5s));
    const JobId second = world.submit(kSecond, waiting_for(first)).value();
    ASSERT_TRUE(world.run_until([&] { return world.all_durable(); }, 5s));
    bool too_early = false;
    world.on_event = [&](std::size_t, const sched::Event& event) {
      const auto* const bound = std::get_if<sched::TaskBound>(&event);
      if (bound == nullptr || bound->job != second) return;
      // What is not on the disk of the other home may never have been.
      for (const std::uint32_t task : {0u, 1u}) {
        too_early = too_early || world.store(kFirst).result(first, task) == nullptr;
      }
    };
    for (const std::size_t home : {kFirst, kSecond}) {
      const auto dies = world.now() + rng.between(sched::Duration{0}, 20s);
      world.at(dies, [&world, home] { world.crash(home); });
      world.at(dies + 100ms + rng.between(sched::Duration{0}, 5s),
          [&world, home] { world.restart(home); });
    }
    world.run_for(26s);
    EXPECT_TRUE(finishes(world, second, 200s));
    EXPECT_FALSE(too_early);
    ASSERT_NE(find(world, second), nullptr);
    EXPECT_EQ(find(world, second)->counts()[TaskState::succeeded], 3u);
    ASSERT_EQ(world.failure(), "");
  }
}

TEST_F(AfterJobs, AHomeThatIsGoneForLongIsWaitedFor) {
  World world{{.seed = 5}};
  world.add(4, {});
  world.run_for(5s);
  const JobId first = world.submit(kFirst, job(1, lasting(5s))).value();
  const JobId second = world.submit(kSecond, waiting_for(first)).value();
  world.run_for(1s);
  world.crash(kFirst);
  world.run_for(300s);
  ASSERT_FALSE(find(world, second)->finished());
  const auto& ends = sched::frontend_of(world.peer(kSecond)).ends();
  EXPECT_TRUE(ends.find(first)->silent());
  world.restart(kFirst);
  EXPECT_TRUE(finishes(world, second, 60s));
  EXPECT_EQ(find(world, second)->counts()[TaskState::succeeded], 3u);
  EXPECT_EQ(world.failure(), "");
}

// Its disk is gone, and with it the job: no node can say that it succeeded.
TEST_F(AfterJobs, AHomeThatLostItsDiskHasNoSuchJob) {
  World world{{.seed = 6}};
  world.add(4, {});
  world.run_for(5s);
  const JobId first = world.submit(kFirst, job(1, lasting(60s))).value();
  const JobId second = world.submit(kSecond, waiting_for(first)).value();
  world.run_for(1s);
  world.crash(kFirst);
  world.erase_disk(kFirst);
  world.restart(kFirst);
  EXPECT_TRUE(finishes(world, second, 60s));
  EXPECT_EQ(find(world, second)->progress().cancelled_by, sched::CancelledBy::after);
  EXPECT_EQ(world.failure(), "");
}

TEST_F(AfterJobs, AJobWithReplicasIsFollowedToItsNextHome) {
  World world{{.seed = 11}};
  world.add(8, {});
  world.run_for(10s);
  sched::Job replicated = job(600, lasting(4s));
  replicated.replicas = 1;
  const JobId first = world.submit(kFirst, replicated).value();
  const auto has_standby = [&] {
    const sched::PeerLogs* const logs = world.peer(kFirst).logs();
    if (logs == nullptr) return false;
    for (const auto& part : logs->parts().all()) {
      if (part->frontend() != nullptr && part->facts().contacts.size() >= 3) {
        return part->copy().entry().set.size() == 2;
      }
    }
    return false;
  };
  const JobId second = world.submit(kSecond, waiting_for(first, false, true)).value();
  ASSERT_TRUE(world.run_until(has_standby, 120s));
  ASSERT_FALSE(find(world, first)->finished()) << "the job is too short for this test";
  world.crash(kFirst);
  world.erase_disk(kFirst);
  world.run_for(20s);
  world.restart(kFirst);
  EXPECT_TRUE(finishes(world, first, 300s));
  EXPECT_TRUE(finishes(world, second, 120s));
  EXPECT_EQ(find(world, second)->counts()[TaskState::succeeded], 3u);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
