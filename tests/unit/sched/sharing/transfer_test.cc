// SPDX-License-Identifier: MIT
#include "sched/sharing/transfer.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

/// Three managers and two classes. Class 0 is starved at cell 1 and idle at cells 2 and 3.
std::vector<ManagerReport> reports() {
  return {{.cell = {1}, .balances = {0, 50}, .used = {120, 10}, .shares = {100, 100}},
      {.cell = {2}, .balances = {300, 50}, .used = {30, 90}, .shares = {100, 100}},
      {.cell = {3}, .balances = {40, 50}, .used = {10, 60}, .shares = {100, 100}}};
}

std::vector<Transfer> planned(const TransferParams& params, std::vector<ManagerReport> of) {
  const auto transfers = plan_transfers(params, of);
  EXPECT_TRUE(transfers);
  return *transfers;
}

TEST(Transfer, SimpleTakesFromTheRichestThatNeedsLittle) {
  const TransferParams params{.strategy = TransferStrategy::simple, .amount = 100};
  EXPECT_EQ(planned(params, reports()), (std::vector<Transfer>{{{2}, {1}, 0, 100}}));
}

TEST(Transfer, DetailedTakesFromTheIdlestFirstAtMostB) {
  const TransferParams params{.strategy = TransferStrategy::detailed, .amount = 100};
  EXPECT_EQ(
      planned(params, reports()), (std::vector<Transfer>{{{3}, {1}, 0, 40}, {{2}, {1}, 0, 100}}));
}

TEST(Transfer, DetailedServesTheNeediestFirst) {
  auto of = reports();
  of[1] = {.cell = {2}, .balances = {0, 0}, .used = {300, 90}, .shares = {100, 100}};
  const TransferParams params{.strategy = TransferStrategy::detailed, .amount = 30};
  EXPECT_EQ(planned(params, of), (std::vector<Transfer>{{{3}, {2}, 0, 30}, {{3}, {1}, 0, 10}}));
}

TEST(Transfer, GiversAreLimited) {
  const TransferParams params{
      .strategy = TransferStrategy::detailed, .amount = 100, .givers_max = 1};
  EXPECT_EQ(planned(params, reports()), (std::vector<Transfer>{{{3}, {1}, 0, 40}}));
}

TEST(Transfer, NobodyGivesWhoNeedsItsOwn) {
  auto of = reports();
  of[1].used[0] = 70;
  const TransferParams params{.strategy = TransferStrategy::simple, .amount = 100};
  EXPECT_EQ(planned(params, of), (std::vector<Transfer>{{{3}, {1}, 0, 40}}));
}

TEST(Transfer, NoneIfSoWishedOrNobodyIsInNeed) {
  EXPECT_TRUE(planned({.strategy = TransferStrategy::none}, reports()).empty());
  auto of = reports();
  of[0].used[0] = 90;
  EXPECT_TRUE(planned({}, of).empty());
  EXPECT_TRUE(planned({}, {}).empty());
}

TEST(Transfer, UseWithoutAnyShareIsTheGreatestNeed) {
  auto of = reports();
  of[1] = {.cell = {2}, .balances = {0, 0}, .used = {1, 0}, .shares = {0, 0}};
  const TransferParams params{.strategy = TransferStrategy::simple, .amount = 100};
  EXPECT_EQ(planned(params, of), (std::vector<Transfer>{{{3}, {2}, 0, 40}}));
}

TEST(Transfer, TheNeediestUsesMostOfItsShare) {
  auto of = reports();
  for (auto& report : of) report.used[1] = 0;
  of[2].used[0] = 1000;
  EXPECT_EQ(neediest_of(of, 0), 2u);
  EXPECT_FALSE(neediest_of(of, 1)) << "none uses any";
  EXPECT_FALSE(neediest_of({}, 0));
}

TEST(Transfer, AnAmountComesFromTheRichestThatCanSpare) {
  const std::vector<ManagerReport> of = {
      {.cell = {1}, .balances = {500}, .used = {10}, .shares = {100}},
      {.cell = {2}, .balances = {900}, .used = {99}, .shares = {100}},
      {.cell = {3}, .balances = {700}, .used = {60}, .shares = {100}},
      {.cell = {4}, .balances = {800}, .used = {0}, .shares = {100}},
  };
  const TransferParams params{.use_low = 0.6};
  EXPECT_EQ(take_from_richest(params, of, CellId{4}, 0, 600),
      (std::vector<Transfer>{{{3}, {4}, 0, 600}}));
  EXPECT_EQ(take_from_richest(params, of, CellId{9}, 0, 1600),
      (std::vector<Transfer>{{{4}, {9}, 0, 800}, {{3}, {9}, 0, 700}, {{1}, {9}, 0, 100}}));
  EXPECT_TRUE(take_from_richest(params, of, CellId{9}, 0, 0).empty());
}

TEST(Transfer, WhatMakesNoSenseIsRefused) {
  auto of = reports();
  of[2].used = {1};
  EXPECT_FALSE(plan_transfers({}, of));
  of = reports();
  of[0].balances[0] = -1;
  EXPECT_FALSE(plan_transfers({}, of));
}

}  // namespace
}  // namespace dunlin::sched
