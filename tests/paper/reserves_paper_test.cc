// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "sched/sharing/apportion.h"
#include "sched/sharing/closest_flow.h"
#include "sched/sharing/reserves.h"
#include "tests/support/clp_oracle.h"

// One test per claim of the CS 736 slides on Cluster Reserves, and the optimiser against searching
// everything and against another solver.
namespace dunlin::sched {
namespace {

using Tables = Matrix<Tickets>;

Tickets sum_of(const Tables& table) {
  return std::accumulate(table.items().begin(), table.items().end(), Tickets{0});
}

Tickets column_sum(const Tables& table, std::size_t j) {
  Tickets sum = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) sum += table(i, j);
  return sum;
}

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

/// Objective of step 2, in squares of fractions of a node.
double distance(const ReservesProblem& problem, const Matrix<double>& ideal, const Tables& flow) {
  double sum = 0;
  for (std::size_t i = 0; i < flow.rows(); ++i) {
    if (problem.tickets[i] == 0) continue;
    for (std::size_t j = 0; j < flow.columns(); ++j) {
      const double off =
          (static_cast<double>(flow(i, j)) - ideal(i, j)) / static_cast<double>(problem.tickets[i]);
      sum += off * off;
    }
  }
  return sum;
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

// ---- the optimiser ----

struct Drawn {
  ReservesProblem problem;
  Matrix<double> ideal;
};

Drawn draw_problem(Rng& rng, std::size_t nodes, std::size_t classes, std::uint32_t tickets_max) {
  Drawn drawn{.problem = {.tickets = {}, .desired = {}, .caps = Tables(nodes, classes)},
      .ideal = Matrix<double>(nodes, classes)};
  Tickets total = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    drawn.problem.tickets.push_back(rng.chance(0.1) ? 0 : 1 + rng.below(tickets_max));
    total += drawn.problem.tickets.back();
  }
  std::vector<Tickets> weights;
  for (std::size_t j = 0; j < classes; ++j) weights.push_back(1 + rng.below(4));
  drawn.problem.desired = apportion(total, weights);
  const bool previous = rng.chance(0.5);
  const auto sum = static_cast<double>(std::accumulate(weights.begin(), weights.end(), Tickets{0}));
  for (std::size_t i = 0; i < nodes; ++i) {
    const Tickets tickets = drawn.problem.tickets[i];
    for (std::size_t j = 0; j < classes; ++j) {
      drawn.problem.caps(i, j) = rng.chance(0.4)
          ? tickets
          : static_cast<Tickets>(rng.index(static_cast<std::size_t>(tickets) + 1));
      drawn.ideal(i, j) = static_cast<double>(tickets) *
          (previous ? rng.uniform() : static_cast<double>(weights[j]) / sum);
    }
  }
  return drawn;
}

/// Tries every allocation in whole tickets: the least deviation, and the least distance with it.
class Exhaustive {
 public:
  explicit Exhaustive(const Drawn& drawn)
      : drawn_(drawn),
        flow_(drawn.problem.caps.rows(), drawn.problem.caps.columns()) {
    fill(0, 0, 0);
  }
  Tickets deviation = std::numeric_limits<Tickets>::max();
  double distance_min = 0;

 private:
  void fill(std::size_t i, std::size_t j, Tickets in_row) {
    if (i == flow_.rows()) return judge();
    const auto [next_i, next_j] =
        j + 1 == flow_.columns() ? std::pair(i + 1, std::size_t{0}) : std::pair(i, j + 1);
    const Tickets part_max =
        std::min(drawn_.problem.caps(i, j), drawn_.problem.tickets[i] - in_row);
    for (Tickets part = 0; part <= part_max; ++part) {
      flow_(i, j) = part;
      fill(next_i, next_j, next_i == i ? in_row + part : 0);
    }
  }
  void judge() {
    Tickets off = 0;
    for (std::size_t j = 0; j < flow_.columns(); ++j) {
      off += std::abs(column_sum(flow_, j) - drawn_.problem.desired[j]);
    }
    if (off > deviation) return;
    const double far = distance(drawn_.problem, drawn_.ideal, flow_);
    distance_min = off < deviation ? far : std::min(distance_min, far);
    deviation = off;
  }

  const Drawn& drawn_;
  Tables flow_;
};

// Both steps, by the objective of each, in 300 problems.
TEST(ReservesOptimiser, EqualsTryingEverything) {
  Rng rng(11);
  for (int seed = 0; seed < 300; ++seed) {
    const std::size_t nodes = 2 + rng.index(2);
    const std::size_t classes = 2 + rng.index(2);
    const auto drawn = draw_problem(rng, nodes, classes, nodes * classes > 6 ? 4 : 7);
    const auto& problem = drawn.problem;
    const Exhaustive best(drawn);
    const auto deviation = min_deviation(problem);
    ASSERT_EQ(deviation, best.deviation) << "problem " << seed;
    const Tickets total =
        std::accumulate(problem.tickets.begin(), problem.tickets.end(), Tickets{0});
    const auto flow = closest_flow(problem, drawn.ideal, total - *deviation);
    ASSERT_EQ(sum_of(flow), total - *deviation);
    ASSERT_NEAR(distance(problem, drawn.ideal, flow), best.distance_min, 1e-9)
        << "problem " << seed;
  }
}

// At the size of cells: within all bounds, as close as another solver comes, and never further.
TEST(ReservesOptimiser, IsNeverFurtherThanClp) {
  Rng rng(12);
  for (int seed = 0; seed < 12; ++seed) {
    const auto drawn = draw_problem(rng, 3 + rng.index(18), 2 + rng.index(5), 32000);
    const auto& problem = drawn.problem;
    const auto deviation = min_deviation(problem);
    ASSERT_TRUE(deviation);
    const Tickets total =
        std::accumulate(problem.tickets.begin(), problem.tickets.end(), Tickets{0});
    const Tickets placed = total - *deviation;
    ASSERT_EQ(flow_max(problem), placed) << "problem " << seed;
    const auto flow = closest_flow(problem, drawn.ideal, placed);
    ASSERT_EQ(sum_of(flow), placed);
    for (std::size_t i = 0; i < flow.rows(); ++i) {
      Tickets row = 0;
      for (std::size_t j = 0; j < flow.columns(); ++j) {
        ASSERT_GE(flow(i, j), 0);
        ASSERT_LE(flow(i, j), problem.caps(i, j));
        row += flow(i, j);
      }
      ASSERT_LE(row, problem.tickets[i]);
    }
    for (std::size_t j = 0; j < flow.columns(); ++j) {
      ASSERT_LE(column_sum(flow, j), problem.desired[j]);
    }
    const auto clp = testing::clp_distance(problem, drawn.ideal, placed);
    ASSERT_TRUE(clp) << "problem " << seed;
    // Fractions of tickets may come a little closer than whole ones.
    const double ours = distance(problem, drawn.ideal, flow);
    ASSERT_LE(ours, *clp + 1e-6) << "problem " << seed;
    ASSERT_NEAR(ours, *clp, 1e-3 * (1 + ours)) << "problem " << seed;
  }
}

}  // namespace
}  // namespace dunlin::sched
