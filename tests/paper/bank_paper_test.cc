// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <numeric>

#include "overlay/param_entries.h"
#include "sched/ledger/ledger.h"
#include "sched/sharing/bank.h"
#include "tests/support/books_commands.h"

// One test per claim of the CS 736 slides on bank accounts, named after the slide it is from.
namespace dunlin::sched {
namespace {

using Tables = Matrix<Tickets>;

/// The slides to the letter: u = r means exactly that, and there is no compensation.
BankParams plain_params() {
  BankParams params;
  params.full_use = 1.0;
  params.compensation = false;
  return params;
}

/// One node of 100 tickets, or more of them; desired shares in per cent.
SharingInput input_of(std::vector<Tickets> shares, Tables previous, Tables used) {
  SharingInput input;
  input.tickets.assign(previous.rows(), 100);
  input.weights = std::move(shares);
  input.previous = std::move(previous);
  input.used = std::move(used);
  return input;
}

SharingPlan planned(const BankParams& params, const SharingInput& input) {
  auto plan = plan_bank(params, input);
  EXPECT_TRUE(plan) << plan.error().text;
  return *plan;
}

TEST(BankPart1, Case1UsedLessThanAllocatedWithinItsShare) {
  // R = u, deposit D - R.
  const auto plan = planned(plain_params(), input_of({60, 40}, {{50, 40}}, {{30, 10}}));
  EXPECT_EQ(plan.grants, (Tables{{30, 10}}));
  EXPECT_EQ(plan.deposits, (Tables{{30, 30}}));
}

TEST(BankPart1, Case2UsedLessThanAllocatedBeyondItsShare) {
  // R = min(u, D), deposit D - R if that is more than 0.
  const auto plan = planned(plain_params(), input_of({60, 40}, {{70, 50}}, {{65, 30}}));
  EXPECT_EQ(plan.grants, (Tables{{60, 30}}));
  EXPECT_EQ(plan.deposits, (Tables{{0, 10}}));
}

TEST(BankPart1, Case3UsedAllOfLessThanItsShareGetsItsShare) {
  const auto plan = planned(plain_params(), input_of({60, 40}, {{20, 40}}, {{20, 20}}));
  EXPECT_EQ(plan.grants(0, 0), 60);
  EXPECT_EQ(plan.deposits(0, 0), 0);
}

TEST(BankPart1, Case3OrALittleMoreThanItUsed) {
  BankParams params = plain_params();
  params.catch_up = BankCatchUp::step;
  params.step = 7;
  const auto plan = planned(params, input_of({60, 40}, {{20, 40}}, {{20, 20}}));
  EXPECT_EQ(plan.grants(0, 0), 27);
  params.step = 70;  // Never beyond its share.
  EXPECT_EQ(planned(params, input_of({60, 40}, {{20, 40}}, {{20, 20}})).grants(0, 0), 60);
}

TEST(BankPart1, Case4UsedAllOfItsShareOrMoreGetsItsShare) {
  const auto plan = planned(plain_params(), input_of({60, 40}, {{60, 40}}, {{60, 40}}));
  EXPECT_EQ(plan.grants, (Tables{{60, 40}}));
  EXPECT_EQ(planned(plain_params(), input_of({60, 40}, {{20, 80}}, {{20, 80}})).grants,
      (Tables{{60, 40}}));
}

TEST(BankPart2, FullNodeIsNotGivenMoreThanItHas) {
  SharingInput input = input_of({60, 40}, {{60, 40}}, {{60, 40}});
  input.balances = {1000, 1000};
  const auto plan = planned(plain_params(), input);
  EXPECT_EQ(plan.grants, (Tables{{60, 40}}));
  EXPECT_EQ(plan.drawn, (Tables{{0, 0}}));
}

TEST(BankPart2, Option1ChecksClassesInDecreasingBalanceOrderEachALittle) {
  BankParams params = plain_params();
  params.drawing = BankDrawing::largest_first;
  params.draw_max = 15;
  // Class 0 uses nothing of its 40; the others use all.
  SharingInput input = input_of({40, 20, 20, 20}, {{40, 20, 20, 20}}, {{0, 20, 20, 20}});
  input.balances = {500, 8, 300, 200};
  const auto plan = planned(params, input);
  // 15 to each of the two richest, then what the third has; class 0 is not in case 4.
  EXPECT_EQ(plan.drawn, (Tables{{0, 8, 15, 15}}));
  // The last 2 tickets go by share.
  EXPECT_EQ(std::accumulate(plan.grants.row(0).begin(), plan.grants.row(0).end(), Tickets{0}), 100);
}

TEST(BankPart2, Option1EndsWhenTheNodeIsFull) {
  BankParams params = plain_params();
  params.drawing = BankDrawing::largest_first;
  params.draw_max = 30;
  SharingInput input = input_of({40, 30, 30}, {{40, 30, 30}}, {{0, 30, 30}});
  input.balances = {0, 100, 200};
  const auto plan = planned(params, input);
  EXPECT_EQ(plan.drawn, (Tables{{0, 10, 30}}));
  EXPECT_EQ(plan.grants, (Tables{{0, 40, 60}}));
  EXPECT_EQ(plan.deposits, (Tables{{40, 0, 0}}));
}

TEST(BankPart2, Option2IsInProportionToBalances) {
  SharingInput input = input_of({40, 30, 30}, {{40, 30, 30}}, {{0, 30, 30}});
  input.balances = {700, 100, 300};
  const auto plan = planned(plain_params(), input);
  EXPECT_EQ(plan.drawn, (Tables{{0, 10, 30}}));
  EXPECT_EQ(plan.grants, (Tables{{0, 40, 60}}));
}

TEST(BankPart2, NobodyDrawsMoreThanItsBalance) {
  SharingInput input = input_of({40, 30, 30}, {{40, 30, 30}}, {{0, 30, 30}});
  input.balances = {0, 3, 5};
  const auto plan = planned(plain_params(), input);
  EXPECT_EQ(plan.drawn, (Tables{{0, 3, 5}}));
  // The other 32 go by share, and cost nothing.
  EXPECT_EQ(plan.grants, (Tables{{0, 49, 51}}));
}

TEST(BankPart2, BalanceOfTheCellIsSharedByItsNodes) {
  SharingInput input = input_of({50, 50}, {{50, 50}, {50, 50}}, {{0, 50}, {0, 50}});
  input.balances = {0, 70};
  const auto plan = planned(plain_params(), input);
  EXPECT_EQ(plan.drawn(0, 1) + plan.drawn(1, 1), 70);
  // Each period another node is the first to be served.
  input.period = 2;
  const auto next = planned(plain_params(), input);
  EXPECT_EQ(next.drawn(0, 1), plan.drawn(1, 1));
}

TEST(BankPart2, LeftoversGoByShare) {
  const auto plan = planned(plain_params(), input_of({40, 20, 40}, {{40, 20, 40}}, {{0, 20, 40}}));
  EXPECT_EQ(plan.grants, (Tables{{0, 33, 67}}));
}

TEST(BankPart2, OrByNeed) {
  BankParams params = plain_params();
  params.spare = BankSpare::need;
  SharingInput input = input_of({40, 20, 40}, {{40, 20, 40}}, {{0, 20, 40}});
  input.need = {{0, 30, 10}};
  EXPECT_EQ(planned(params, input).grants, (Tables{{0, 50, 50}}));
  // Beyond all needs, by share.
  input.need = {{0, 4, 6}};
  EXPECT_EQ(planned(params, input).grants, (Tables{{0, 34, 66}}));
}

TEST(BankPart2, NobodyInCase4LeavesTheRestUnassigned) {
  const auto plan = planned(plain_params(), input_of({60, 40}, {{60, 40}}, {{10, 10}}));
  EXPECT_EQ(plan.unassigned, (std::vector<Tickets>{80}));
}

TEST(BankNotes, TicketsExpireAtACertainAge) {
  // From plan to ledger: what case 1 deposits is gone when it is old.
  const auto input = input_of({60, 40}, {{50, 40}}, {{30, 40}});
  const auto plan = planned(plain_params(), input);
  Ledger ledger(CellId{1});
  testing::outcome_of(ledger, books::Claim{});
  testing::outcome_of(ledger, books::Mint{.node = PeerId{9}, .tickets = 100});
  const MemberId nodes[] = {PeerId{9}};
  const ClassId class_ids[] = {3, 4};
  const auto command = to_command(plan, 1, nodes, class_ids,
      {.now = {}, .grant_life = std::chrono::seconds(10), .expiry = std::chrono::seconds(60)});
  ASSERT_EQ(testing::outcome_of(ledger, command), books::Outcome::applied);
  EXPECT_EQ(ledger.balance(3), 30);
  EXPECT_EQ(ledger.node(PeerId{9})->grants, (std::vector<books::Share>{{3, 30}, {4, 70}}));
  testing::outcome_of(ledger, books::Tick{}, 1, 59);
  EXPECT_EQ(ledger.balance(3), 30);
  testing::outcome_of(ledger, books::Tick{}, 1, 60);
  EXPECT_EQ(ledger.balance(3), 0);
}

/// Both nodes are full; class 1 has saved much.
SharingInput full_input() {
  SharingInput input = input_of({50, 50}, {{50, 50}, {50, 50}}, {{50, 50}, {50, 50}});
  input.balances = {0, 500};
  return input;
}

TEST(BankStrategy, CompensationIsForcedWhereAllNodesAreFull) {
  BankParams params = plain_params();
  params.compensation = true;
  params.compensation_share = 0.25;
  params.compensation_balance = 2;
  const auto plan = planned(params, full_input());
  // 50 and 75 of 125, scaled to 100; only what it gains is drawn.
  EXPECT_EQ(plan.grants, (Tables{{40, 60}, {40, 60}}));
  EXPECT_EQ(plan.drawn, (Tables{{0, 10}, {0, 10}}));
}

TEST(BankStrategy, NoCompensationForALowBalanceOrWhereThereIsRoom) {
  BankParams params = plain_params();
  params.compensation = true;
  params.compensation_balance = 6;
  EXPECT_EQ(planned(params, full_input()).grants, (Tables{{50, 50}, {50, 50}}));
  params.compensation_balance = 2;
  SharingInput roomy = full_input();
  roomy.used(1, 0) = 20;
  EXPECT_EQ(planned(params, roomy).grants, (Tables{{50, 50}, {20, 80}}));
}

TEST(BankStrategy, SomeTicketsAreReservedForTheSameNode) {
  BankParams params = plain_params();
  params.local_reserve_share = 0.5;
  SharingInput input = input_of({60, 40}, {{50, 40}}, {{30, 40}});
  input.soon = {{20, 0}};
  const auto plan = planned(params, input);
  EXPECT_EQ(plan.deposits_local, (Tables{{10, 0}}));
  EXPECT_EQ(plan.deposits, (Tables{{20, 0}}));
  // Shortly after, it wants more: its reserve comes before any savings.
  SharingInput later = input_of({40, 60}, {{60, 40}}, {{60, 20}});
  later.local_reserves = {{10, 0}};
  later.balances = {100, 0};
  const auto drawn = planned(params, later);
  EXPECT_EQ(drawn.drawn_local, (Tables{{10, 0}}));
  EXPECT_EQ(drawn.drawn, (Tables{{30, 0}}));
}

TEST(BankGoal, ClassGetsBackLaterWhatItLeftToOthers) {
  // Performance isolation and utilisation: over the whole, the class that paused has its share.
  BankParams params = plain_params();
  SharingInput input = input_of({50, 50}, {{50, 50}}, {{0, 50}});
  input.balances = {0, 0};
  Tickets had = 0;
  for (int period = 1; period <= 9; ++period) {
    input.period = static_cast<std::uint64_t>(period);
    const auto plan = planned(params, input);
    for (std::size_t j = 0; j < 2; ++j) {
      input.balances[j] += plan.deposits(0, j) - plan.drawn(0, j);
      ASSERT_GE(input.balances[j], 0);
    }
    had += plan.grants(0, 0);
    input.previous = plan.grants;
    input.used = plan.grants;
    // Class 0 pauses for four periods, then class 1 does.
    input.used(0, period < 4 ? 0 : 1) = 0;
    input.need = period < 4 ? Tables{{0, 100}} : Tables{{100, 0}};
  }
  // Half of all that there was, though it had nothing for four periods of nine.
  EXPECT_EQ(had, 450);
  EXPECT_EQ(input.balances, (std::vector<Tickets>{0, 250}));
}

TEST(BankScale, IntegersAreExactForAnyInput) {
  Rng rng(5);
  for (int seed = 0; seed < 2000; ++seed) {
    const std::size_t nodes = 1 + rng.index(5);
    const std::size_t classes = 1 + rng.index(5);
    BankParams params;
    std::vector<overlay::ParamEntry> entries;
    overlay::append_entries(params, entries);
    for (const overlay::ParamEntry& entry : entries) entry.draw(rng);
    SharingInput input;
    input.period = rng.below(9);
    const auto draw = [&](std::uint32_t bound) { return static_cast<Tickets>(rng.below(bound)); };
    for (std::size_t i = 0; i < nodes; ++i) input.tickets.push_back(rng.chance(.1) ? 0 : draw(70));
    for (std::size_t j = 0; j < classes; ++j) input.weights.push_back(draw(5));
    input.weights[0] += 1;
    for (std::size_t j = 0; j < classes; ++j) input.balances.push_back(draw(100));
    for (auto* table :
        {&input.previous, &input.used, &input.need, &input.soon, &input.local_reserves}) {
      *table = Tables(nodes, classes);
      for (std::size_t i = 0; i < nodes; ++i) {
        for (Tickets& tickets : table->row(i)) tickets = draw(40);
      }
    }
    const auto plan = planned(params, input);
    const auto desired = desired_of(input);
    std::vector<Tickets> drawn(classes, 0);
    for (std::size_t i = 0; i < nodes; ++i) {
      Tickets sum = plan.unassigned[i];
      Tickets saved = 0;
      for (std::size_t j = 0; j < classes; ++j) {
        ASSERT_GE(plan.grants(i, j), 0);
        ASSERT_GE(plan.drawn(i, j), 0);
        ASSERT_LE(plan.drawn_local(i, j), input.local_reserves(i, j));
        ASSERT_LE(plan.deposits(i, j) + plan.deposits_local(i, j), desired(i, j));
        ASSERT_LE(plan.drawn(i, j), plan.grants(i, j));
        sum += plan.grants(i, j);
        saved += plan.deposits(i, j) + plan.deposits_local(i, j);
        drawn[j] += plan.drawn(i, j);
      }
      ASSERT_EQ(sum, input.tickets[i]) << "seed " << seed;
      ASSERT_LE(saved, input.tickets[i]) << "seed " << seed;
    }
    for (std::size_t j = 0; j < classes; ++j) ASSERT_LE(drawn[j], input.balances[j]);
  }
}

}  // namespace
}  // namespace dunlin::sched
