// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "sched/sharing/apportion.h"
#include "sched/sharing/reserves.h"
#include "tests/paper/reserves_tables.h"

// One test per claim of the CS 736 slides on Cluster Reserves. reserves_optimiser_test.cc has the
// optimiser.
namespace dunlin::sched {
namespace {

SharingInput input_of(
    std::vector<Tickets> tickets, std::vector<Tickets> shares, Tables previous, Tables used) {
  SharingInput input;
  input.tickets = std::move(tickets);
  input.weights = std::move(shares);
  input.previous = std::move(previous);
  input.used = std::move(used);
  return input;
}

/// The slides to the letter, without the third step unless a test is about it.
ReservesParams plain_reserves() {
  ReservesParams params;
  params.full_use = 1.0;
  params.spare = false;
  return params;
}

ReservesPlan planned(const ReservesParams& params, const SharingInput& input) {
  auto plan = plan_reserves(params, input);
  EXPECT_TRUE(plan) << plan.error().text;
  return *plan;
}

// ---- step 1 ----

TEST(ReservesStep1, SharesOfTheWholeClusterAreMetByLeavingNodesUneven) {
  // Class 0 uses nothing on node 0, so it gets all it may of node 1: its half of the cluster.
  const auto result = planned(
      plain_reserves(), input_of({100, 100}, {50, 50}, {{50, 50}, {50, 50}}, {{0, 50}, {50, 50}}));
  EXPECT_EQ(result.deviation, 0);
  EXPECT_EQ(result.plan.grants, (Tables{{0, 100}, {100, 0}}));
}

TEST(ReservesStep1, DeviationIsTheLeastThatIsFeasible) {
  // Class 0 can use but 30 in all; 70 of its 100 cannot be given to it, nor to class 1.
  const auto result = planned(
      plain_reserves(), input_of({100, 100}, {50, 50}, {{50, 50}, {50, 50}}, {{10, 50}, {20, 50}}));
  EXPECT_EQ(result.deviation, 70);
  EXPECT_EQ(column_sum(result.plan.grants, 0), 30);
  EXPECT_EQ(column_sum(result.plan.grants, 1), 100);
}

TEST(ReservesStep1, AllocationsOfANodeSumToNoMoreThanItHas) {
  const auto result = planned(plain_reserves(),
      input_of({100, 300}, {50, 50}, {{50, 50}, {150, 150}}, {{0, 50}, {150, 150}}));
  for (std::size_t i = 0; i < 2; ++i) {
    const auto row = result.plan.grants.row(i);
    EXPECT_LE(std::accumulate(row.begin(), row.end(), Tickets{0}), i == 0 ? 100 : 300);
  }
  // Nodes count by their tickets: T_total is 400, half of it 200.
  EXPECT_EQ(column_sum(result.plan.grants, 0), 200);
  EXPECT_EQ(column_sum(result.plan.grants, 1), 200);
}

TEST(ReservesStep1, NoMoreThanTheUsageWhereItIsNoSink) {
  const auto input = input_of({100}, {50, 50}, {{50, 50}}, {{20, 50}});
  const auto result = planned(plain_reserves(), input);
  EXPECT_EQ(result.plan.grants, (Tables{{20, 50}}));
  EXPECT_EQ(result.plan.deposits, (Tables{{30, 0}}));
  EXPECT_EQ(result.plan.unassigned, (std::vector<Tickets>{30}));
}

// ---- step 2 ----

TEST(ReservesStep2, OfAllLeastDeviationsTheOneClosestToTheDesiredShares) {
  // Class 0 is idle on node 0. Its lost 20 may come from nodes 1 and 2: 10 from each is closest.
  const auto result = planned(plain_reserves(),
      input_of({100, 100, 100}, {20, 80}, {{20, 80}, {60, 40}, {20, 80}},
          {{0, 80}, {60, 40}, {20, 80}}));
  EXPECT_EQ(result.deviation, 0);
  EXPECT_EQ(result.plan.grants, (Tables{{0, 100}, {30, 70}, {30, 70}}));
}

TEST(ReservesStep2, OrTheOneClosestToThePreviousAllocation) {
  ReservesParams params = plain_reserves();
  params.objective = ReservesObjective::previous;
  const auto result = planned(params,
      input_of({100, 100, 100}, {20, 80}, {{20, 80}, {60, 40}, {20, 80}},
          {{0, 80}, {60, 40}, {20, 80}}));
  // 60 in all for class 0: 80 were allocated where it may stay, so each gives up 10.
  EXPECT_EQ(result.plan.grants, (Tables{{0, 100}, {50, 50}, {10, 90}}));
}

// ---- distribution of what is left ----

TEST(ReservesSpare, GoesToClassesThatNeedIt) {
  ReservesParams params = plain_reserves();
  params.spare = true;
  const auto result =
      planned(params, input_of({100}, {50, 25, 25}, {{50, 25, 25}}, {{20, 25, 25}}));
  EXPECT_EQ(result.plan.grants, (Tables{{20, 40, 40}}));
  EXPECT_EQ(result.plan.unassigned, (std::vector<Tickets>{0}));
}

TEST(ReservesSpare, FirstToThoseWhoContributedMore) {
  ReservesParams params = plain_reserves();
  params.spare = true;
  SharingInput input = input_of({100}, {50, 25, 25}, {{50, 25, 25}}, {{20, 25, 25}});
  input.balances = {0, 10, 20};
  const auto result = planned(params, input);
  EXPECT_EQ(result.plan.drawn, (Tables{{0, 10, 20}}));
  EXPECT_EQ(result.plan.grants, (Tables{{20, 35, 45}}));
  // More than there is to repay: in proportion.
  input.balances = {0, 100, 200};
  EXPECT_EQ(planned(params, input).plan.drawn, (Tables{{0, 10, 20}}));
}

// ---- degenerate ----

TEST(ReservesDegenerate, NothingUsedNothingGiven) {
  const auto result = planned(
      plain_reserves(), input_of({100, 100}, {1, 1}, {{50, 50}, {50, 50}}, {{0, 0}, {0, 0}}));
  EXPECT_EQ(sum_of(result.plan.grants), 0);
  EXPECT_EQ(result.deviation, 200);
}

TEST(ReservesDegenerate, AllSinksGetTheirShares) {
  const auto result = planned(
      plain_reserves(), input_of({100, 60}, {3, 1}, {{50, 50}, {30, 30}}, {{50, 50}, {30, 30}}));
  EXPECT_EQ(result.plan.grants, (Tables{{75, 25}, {45, 15}}));
}

TEST(ReservesDegenerate, OneClassNodesOfNothingAndNoNodes) {
  EXPECT_EQ(
      planned(plain_reserves(), input_of({100, 0}, {7}, {{100}, {0}}, {{100}, {0}})).plan.grants,
      (Tables{{100}, {0}}));
  const auto none = planned(plain_reserves(), input_of({}, {1, 1}, Tables(0, 2), Tables(0, 2)));
  EXPECT_EQ(none.plan.grants.rows(), 0u);
}

TEST(ReservesDegenerate, WhatMakesNoSenseIsRefusedByName) {
  const auto why = [](const SharingInput& input) {
    const auto plan = plan_reserves({}, input);
    return plan ? "planned" : plan.error().text;
  };
  const SharingInput fine = input_of({100}, {1, 1}, {{50, 50}}, {{50, 50}});
  EXPECT_EQ(why(fine), "planned");
  SharingInput wrong = fine;
  wrong.weights = {0, 0};
  EXPECT_NE(why(wrong).find("weight"), std::string::npos);
  wrong = fine;
  wrong.used = Tables(2, 2);
  EXPECT_NE(why(wrong).find("used"), std::string::npos);
  wrong = fine;
  wrong.tickets = {-1};
  EXPECT_NE(why(wrong).find("tickets"), std::string::npos);
  wrong = fine;
  wrong.previous(0, 1) = -1;
  EXPECT_NE(why(wrong).find("previous"), std::string::npos);
  wrong = fine;
  wrong.balances = {1};
  EXPECT_NE(why(wrong).find("balance"), std::string::npos);
}

TEST(ReservesDegenerate, SharesNeedNotSumToOne) {
  const double thirds[] = {0.2, 0.2, 0.2};
  EXPECT_EQ(apportion(99, *weights_of(thirds)), (std::vector<Tickets>{33, 33, 33}));
  for (const double bad : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const double shares[] = {0.5, bad};
    EXPECT_FALSE(weights_of(shares)) << bad;
  }
  const double none[] = {0.0, 0.0};
  EXPECT_FALSE(weights_of(none));
}

}  // namespace
}  // namespace dunlin::sched
