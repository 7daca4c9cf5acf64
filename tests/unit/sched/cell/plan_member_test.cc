// SPDX-License-Identifier: MIT
#include "sched/cell/plan_member.h"

#include <gtest/gtest.h>

#include "tests/support/cell_stage.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr PeerId kPlanner{42};
const CellId kPlanned = cell_id(0, 0x770);

/// A node with the claims that a test gives it.
class Claimant final : public Workload {
 public:
  std::vector<books::Use> take(Time, Tickets) override { return {}; }
  NodeClaims claims(Time) override { return node; }
  void want(std::uint32_t jobs) {
    node.claims.clear();
    for (std::uint32_t i = 1; i <= jobs; ++i) {
      node.claims.push_back({.job = {.home = kPlanner, .number = i}, .left = 3});
    }
    ++node.version;
  }

  NodeClaims node{.slots = 4};
};

/// Node 42, a member of a cell that node 50 manages.
class PlanMemberTest : public ::testing::Test {
 protected:
  CellTurn turn() {
    const CellTurn now = stage.turn();
    return {now.now, now.rng, now.out, now.store, claimant, now.targets, now.events};
  }
  void join() {
    const books::Contact manager = contact_of(test::CellStage::at(50));
    member.join(stage.now, kPlanned, std::span(&manager, 1));
    member.wake(turn(), {}, [] { return cell::MemberReport{}; });
    const auto report = stage.told<cell::MemberReport>(50).back();
    member.receive(turn(),
        cell::Lease{.cell = kPlanned,
            .epoch = 3,
            .member = kPlanner,
            .standing = cell::Standing::member,
            .sequence = report.sequence,
            .contacts = {manager}});
    ASSERT_TRUE(member.is_member());
    plans.follow(stage.now, member, plans.is_on());
  }
  /// The claims sent at that moment.
  std::vector<cell::Claims> claims_at(Time now) {
    stage.now = now;
    stage.sent.clear();
    plans.wake(turn(), member, hints);
    return stage.told<cell::Claims>(50);
  }
  bool hear(std::uint64_t from, std::uint64_t epoch = 3) {
    return plans.receive(turn(), test::CellStage::at(from), member,
        {.cell = kPlanned,
            .epoch = epoch,
            .member = kPlanner,
            .sequence = sequence,
            .plan = 1,
            .life = 10s,
            .allotted = {{.job = {.home = kPlanner, .number = 1}, .slots = 2}}});
  }

  test::CellStage stage;
  SharingParams params;
  CellHints hints;
  Claimant claimant;
  CellMember member{params.cell, 0, kPlanner};
  PlanMember plans{params, kPlanner};
  std::uint64_t sequence = 0;
};

TEST_F(PlanMemberTest, SleepsWithoutARule) {
  join();
  EXPECT_EQ(plans.deadline(), kNever);
  plans.hurry(stage.now);
  EXPECT_EQ(plans.deadline(), kNever);
  EXPECT_TRUE(claims_at(stage.now + 1h).empty());
}

TEST_F(PlanMemberTest, ClaimsAtOnceAndAgainWithinTheLease) {
  claimant.want(2);
  plans.set_on(stage.now, true);
  EXPECT_TRUE(claims_at(stage.now).empty()) << "it is no member yet";
  EXPECT_GT(plans.deadline(), stage.now);
  join();
  EXPECT_EQ(plans.deadline(), stage.now) << "that manager knows nothing of it";
  const auto first = claims_at(plans.deadline());
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].cell, kPlanned);
  EXPECT_EQ(first[0].member, kPlanner);
  EXPECT_EQ(first[0].slots, 4u);
  EXPECT_EQ(first[0].claims.size(), 2u);
  EXPECT_LE(3 * (plans.deadline() - stage.now), params.cell.lease);
  EXPECT_EQ(claims_at(plans.deadline()).size(), 1u);
}

TEST_F(PlanMemberTest, ChangesAreToldAtMostOnceInAGap) {
  plans.set_on(stage.now, true);
  join();
  const Time first = plans.deadline();
  ASSERT_EQ(claims_at(first).size(), 1u);
  claimant.want(1);
  EXPECT_NE(plans.claimed_version(), claimant.node.version);
  plans.hurry(stage.now);
  EXPECT_EQ(plans.deadline(), first + params.plan.gap);
  EXPECT_EQ(claims_at(plans.deadline()).at(0).claims.size(), 1u);
  EXPECT_EQ(plans.claimed_version(), claimant.node.version);
}

TEST_F(PlanMemberTest, TheEndOfAJobIsToldTwice) {
  claimant.want(1);
  plans.set_on(stage.now, true);
  join();
  EXPECT_EQ(claims_at(plans.deadline()).at(0).claims.at(0).left, 3u);
  claimant.want(0);
  EXPECT_EQ(claims_at(plans.deadline()).at(0).claims.at(0).left, 0u);
  EXPECT_EQ(claims_at(plans.deadline()).at(0).claims.at(0).left, 0u);
  EXPECT_TRUE(claims_at(plans.deadline()).at(0).claims.empty());
}

TEST_F(PlanMemberTest, ManyJobsTakeSeveralMessages) {
  claimant.want(cell::Claims::kClaimsMax + 1);
  plans.set_on(stage.now, true);
  join();
  const auto told = claims_at(plans.deadline());
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].claims.size(), cell::Claims::kClaimsMax);
  EXPECT_EQ(told[1].claims.size(), 1u);
  EXPECT_GT(told[1].sequence, told[0].sequence);
}

TEST_F(PlanMemberTest, ObeysItsManagerUntilTheLeaseLapses) {
  plans.set_on(stage.now, true);
  join();
  sequence = claims_at(plans.deadline()).at(0).sequence;
  EXPECT_TRUE(plans.take_news(stage.now)) << "the rule was set";
  EXPECT_FALSE(hear(51)) << "a stranger";
  EXPECT_FALSE(plans.take_news(stage.now));
  EXPECT_TRUE(hear(50, 2)) << "the epoch of grants is 3";
  EXPECT_TRUE(plans.allotted(stage.now).empty());
  EXPECT_TRUE(hear(50));
  EXPECT_TRUE(plans.take_news(stage.now));
  EXPECT_EQ(plans.allotted(stage.now).size(), 1u);
  const Time end = stage.now + 10s;
  EXPECT_LE(plans.deadline(), end);
  EXPECT_TRUE(plans.take_news(end)) << "it is over";
  EXPECT_TRUE(plans.allotted(end).empty());
  EXPECT_FALSE(plans.take_news(end));
}

TEST_F(PlanMemberTest, WithoutARuleNothingHoldsAnyMore) {
  plans.set_on(stage.now, true);
  join();
  sequence = claims_at(plans.deadline()).at(0).sequence;
  ASSERT_TRUE(hear(50));
  plans.set_on(stage.now, false);
  EXPECT_TRUE(plans.allotted(stage.now).empty());
  EXPECT_TRUE(plans.take_news(stage.now));
  EXPECT_TRUE(hear(50));
  EXPECT_TRUE(plans.allotted(stage.now).empty());
}

}  // namespace
}  // namespace dunlin::sched
