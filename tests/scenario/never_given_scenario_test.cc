// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <optional>

#include "tests/scenario/replicas.h"

// A node gave its job away by a takeover, and is asked for a number that it never gave. It says so
// at once, and sends none to look for a job that there never was.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kNeverGiven = 99999;

class NeverGiven : public Replicas {};

TEST_F(NeverGiven, ANumberIsKnownToBeSoWhereAJobHadAStandby) {
  EXPECT_TRUE(sched::never_gave(world.peer(0), 1)) << "there was no job at all";
  const JobId id = moved_away(replicated(2, 60s));
  EXPECT_TRUE(sched::never_gave(world.peer(0), kNeverGiven));
  EXPECT_FALSE(sched::never_gave(world.peer(0), id.number)) << "it is elsewhere";
  EXPECT_EQ(world.failure(), "");
}

TEST_F(NeverGiven, AJobThatWaitsForSuchAJobIsAnsweredAtOnce) {
  const JobId moved = moved_away(replicated(2, 60s));
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
