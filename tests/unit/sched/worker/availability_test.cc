// SPDX-License-Identifier: MIT
#include "sched/worker/availability.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/support/solo.h"
#include "tests/unit/sched/worker/wired_parts.h"

// worker_health_test.cc has a whole worker that falls sick.
namespace dunlin::test {
namespace {

using sched::HealthJudge;

class AvailabilityTest : public Solo {
 protected:
  bool drain(bool on) {
    auto now_turn = turn();
    return parts.availability.drain(now_turn, around(), on);
  }
  void judge(HealthJudge by, std::string_view why) {
    auto now_turn = turn();
    parts.availability.on_verdict(now_turn, around(), by, why);
  }
  void pause() {
    auto now_turn = turn();
    parts.availability.pause(now_turn, around());
  }
  template <typename Kind>
  auto events_of() const {
    return std::ranges::count_if(
        events.seen, [](const sched::Event& each) { return std::holds_alternative<Kind>(each); });
  }

  WiredParts parts;
};

TEST_F(AvailabilityTest, ANodeThatIsDrainedSendsItsQueueAwayOnce) {
  parts.run(turn(), reserve_of(1));
  parts.wait(now, reserve_of(2));
  EXPECT_TRUE(drain(true));
  EXPECT_FALSE(drain(true)) << "it is drained already";
  EXPECT_TRUE(parts.queue.empty());
  EXPECT_EQ(parts.running.running().size(), 1u) << "what runs goes on";
  EXPECT_EQ(events_of<sched::DrainChanged>(), 1);
  EXPECT_TRUE(parts.availability.is_leaving());
  EXPECT_TRUE(drain(false));
  EXPECT_FALSE(parts.availability.is_leaving());
}

TEST_F(AvailabilityTest, ANodeThatPausesComesBack) {
  parts.wait(now, reserve_of(1));
  EXPECT_EQ(parts.availability.away(), sched::Duration{0});
  pause();
  EXPECT_TRUE(parts.slots.closed());
  EXPECT_TRUE(parts.queue.empty());
  EXPECT_EQ(parts.availability.away(), parts.params.reattach_within);
  EXPECT_FALSE(parts.availability.is_leaving());
}

TEST_F(AvailabilityTest, ItClosesWithTheFirstJudgeAndOpensWithTheLast) {
  judge(HealthJudge::operators, "no network");
  EXPECT_TRUE(parts.slots.sick());
  judge(HealthJudge::operators, "no network");
  EXPECT_EQ(events_of<sched::HealthChanged>(), 1) << "nothing has changed";
  judge(HealthJudge::disk, "no room");
  judge(HealthJudge::operators, "");
  EXPECT_TRUE(parts.slots.sick());
  judge(HealthJudge::disk, "");
  EXPECT_FALSE(parts.slots.sick());
  EXPECT_FALSE(parts.availability.health().sick());
}

TEST_F(AvailabilityTest, StartsThatFailInARowMakeItSickAndATrialIsDue) {
  EXPECT_FALSE(parts.availability.take_trial(sched::kNever - sched::Duration{1}));
  std::vector<sched::Exit> failed(10);
  for (sched::Exit& exit : failed) {
    exit.report.outcome = sched::Outcome::spawn_failed;
    exit.report.cause = sched::Cause::start;
  }
  auto now_turn = turn();
  parts.availability.on_exits(now_turn, around(), failed);
  EXPECT_TRUE(parts.slots.sick());
  EXPECT_TRUE(parts.availability.take_trial(parts.availability.health().next_trial()));
}

}  // namespace
}  // namespace dunlin::test
