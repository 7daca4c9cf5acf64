// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <optional>

#include "tests/scenario/replicas.h"

// A home whose job another node drives by now is asked for a number that it never gave: it says so
// at once, and sends nobody to look for a job that there never was.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kNeverGiven = 99999;

class NeverGiven : public Replicas {
 protected:
  /// A job of node 0, which another node drives, and node 0 back.
  JobId moved_away() {
    const JobId id = world.submit(0, replicated(2, 60s)).value();
    EXPECT_TRUE(world.run_until([&] { return standbys(0) == 1; }, 120s));
    world.crash(0);
    EXPECT_TRUE(world.run_until([&] { return find(id) != nullptr; }, 60s)) << "no takeover";
    world.restart(0);
    world.run_for(10s);
    EXPECT_EQ(sched::find_job(world.peer(0), id), nullptr);
    return id;
  }
};

TEST_F(NeverGiven, ANumberIsKnownToBeSoWhereAJobHadAStandby) {
  EXPECT_TRUE(sched::never_gave(world.peer(0), 1)) << "there was no job at all";
  const JobId id = moved_away();
  EXPECT_TRUE(sched::never_gave(world.peer(0), kNeverGiven));
  EXPECT_FALSE(sched::never_gave(world.peer(0), id.number)) << "it is elsewhere";
  EXPECT_EQ(world.failure(), "");
}

TEST_F(NeverGiven, AJobThatWaitsForSuchAJobIsAnsweredAtOnce) {
  const JobId moved = moved_away();
  std::optional<sched::JobStanding> never;
  std::optional<sched::JobStanding> elsewhere;
  world.filter([&](std::size_t from, std::size_t, const AnyMessage& message) {
    const auto* const told = said<sched::JobEnd>(message);
    if (from == 0 && told != nullptr) {
      (told->job.number == kNeverGiven ? never : elsewhere) = told->standing;
    }
    return 1u;
  });
  sched::Job waits = job(1, lasting(1s));
  for (const std::uint32_t number : {moved.number, kNeverGiven}) {
    waits.after_jobs.push_back({.job = {.home = moved.home, .number = number, .lineage = 0},
        .has_replicas = true,
        .address = World::endpoint_of(0).address});
  }
  ASSERT_TRUE(world.submit(1, waits));
  world.run_for(1s);
  EXPECT_EQ(never, sched::JobStanding::unknown);
  EXPECT_EQ(elsewhere, sched::JobStanding::elsewhere);
  world.filter(nullptr);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
